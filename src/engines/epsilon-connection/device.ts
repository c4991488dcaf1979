import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

const version = Buffer.from([0, 0, 0, 1])
const end = Buffer.from([0])
/** Seconds from 1601 to 1970: Windows counts time from there, in units of 100 ns. */
const windowsEpochSeconds = 11_644_473_600n

/** A device as it is stored: a GUID, and its private key in base64. */
export const DeviceKey = Type.Object({ id: Type.String(), pkcs8: Type.String() })
export type DeviceKey = Static<typeof DeviceKey>

/** A request as it is signed: `target` is path and query. */
interface SignedRequest {
  method: string
  target: string
  /** Empty without one. */
  authorization: string
  body: string
}

/** The device that the Xbox services know this installation as; signs requests. */
export interface Signing {
  /** A GUID in braces. */
  id: string
  /** Public key as a JWK. */
  proofKey: { crv: 'P-256'; alg: 'ES256'; use: 'sig'; kty: 'EC'; x: string; y: string }
  /** Value of the header `Signature`. */
  sign(request: SignedRequest): string
}

function signature(
  key: KeyObject,
  { method, target, authorization, body }: SignedRequest,
  now: Date,
): string {
  const time = Buffer.alloc(8)
  const seconds = BigInt(Math.floor(now.getTime() / 1000))
  time.writeBigInt64BE((seconds + windowsEpochSeconds) * 10_000_000n)
  const texts = [method, target, authorization, body].flatMap((text) => [Buffer.from(text), end])
  const bytes = Buffer.concat([version, end, time, end, ...texts])
  const signed = sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' })
  return Buffer.concat([version, time, signed]).toString('base64')
}

function newDeviceKey(): DeviceKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  return { id: crypto.randomUUID(), pkcs8 }
}

/** Null: not a P-256 key. */
function privateKeyOf(pkcs8: string): KeyObject | null {
  try {
    const der = Buffer.from(pkcs8, 'base64')
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null
  } catch {
    return null
  }
}

/** The stored device; a new one where it is missing or cannot be used. `device` is what to store. */
export function openDevice(
  stored: unknown,
  now: () => Date,
): { device: DeviceKey; isNew: boolean; signing: Signing } {
  const known = Value.Check(DeviceKey, stored) ? privateKeyOf(stored.pkcs8) : null
  if (known === null) return { ...openDevice(newDeviceKey(), now), isNew: true }
  const device = stored as DeviceKey
  const { x = '', y = '' } = createPublicKey(known).export({ format: 'jwk' })
  const signing: Signing = {
    id: `{${device.id}}`,
    proofKey: { crv: 'P-256', alg: 'ES256', use: 'sig', kty: 'EC', x, y },
    sign: (request) => signature(known, request, now()),
  }
  return { device, isNew: false, signing }
}
