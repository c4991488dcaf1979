import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Credentials } from '../../core/secrets/credentials.ts'

const credentialName = 'epsilon.deviceKey'
const version = Buffer.from([0, 0, 0, 1])
const end = Buffer.from([0])
/** Seconds from 1601 to 1970: Windows counts time from there, in units of 100 ns. */
const windowsEpochSeconds = 11_644_473_600n

const Stored = Type.Object({ id: Type.String(), pkcs8: Type.String() })

/** A request as it is signed: `target` is path and query. */
export interface SignedRequest {
  method: string
  target: string
  /** Empty without one. */
  authorization: string
  body: string
}

/** The device that the Xbox services know this installation as. */
export interface EpsilonDevice {
  /** A GUID in braces. */
  id: string
  /** Public key as a JWK. */
  proofKey: { crv: 'P-256'; alg: 'ES256'; use: 'sig'; kty: 'EC'; x: string; y: string }
  /** Value of the header `Signature`. */
  sign(request: SignedRequest, now: Date): string
}

/** The bytes that are signed, with the time in units of 100 ns since 1601. */
export function signedBytes({ method, target, authorization, body }: SignedRequest, time: Buffer) {
  const texts = [method, target, authorization, body].flatMap((text) => [Buffer.from(text), end])
  return Buffer.concat([version, end, time, end, ...texts])
}

function signature(key: KeyObject, request: SignedRequest, now: Date): string {
  const time = Buffer.alloc(8)
  const seconds = BigInt(Math.floor(now.getTime() / 1000))
  time.writeBigInt64BE((seconds + windowsEpochSeconds) * 10_000_000n)
  const format = { key, dsaEncoding: 'ieee-p1363' } as const
  const signed = sign('sha256', signedBytes(request, time), format)
  return Buffer.concat([version, time, signed]).toString('base64')
}

function storedDevice(credentials: Credentials): { id: string; key: KeyObject } | null {
  const kept = credentials.read(credentialName)
  if (kept.state !== 'kept') return null
  const stored: unknown = JSON.parse(kept.secret)
  if (!Value.Check(Stored, stored)) return null
  const der = Buffer.from(stored.pkcs8, 'base64')
  return { id: stored.id, key: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) }
}

function newDevice(credentials: Credentials): { id: string; key: KeyObject } {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = crypto.randomUUID()
  const pkcs8 = key.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  credentials.keep(credentialName, JSON.stringify({ id, pkcs8 }))
  return { id, key }
}

/** The stored device; a new one where there is none or it cannot be read. Throws SealError. */
export function deviceOf(credentials: Credentials): EpsilonDevice {
  const { id, key } = storedDevice(credentials) ?? newDevice(credentials)
  const { x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' })
  return {
    id: `{${id}}`,
    proofKey: { crv: 'P-256', alg: 'ES256', use: 'sig', kty: 'EC', x, y },
    sign: (request, now) => signature(key, request, now),
  }
}
