import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'

/** One side's Ed25519 key pair. Public keys are 32 bytes as base64url. */
export interface KeyPair {
  readonly publicKey: string
  sign(text: Uint8Array): Buffer
}

const der = { format: 'der', type: 'pkcs8' } as const

/** A new private key, as it is stored. */
export const makePrivateKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export(der).toString('base64url')

/** The raw bytes of a public key, as base64url. */
export const rawPublicKey = (key: KeyObject): string => key.export({ format: 'jwk' }).x ?? ''

/** A public key from its raw bytes. Throws when they are none. */
export const publicKeyFrom = (crv: 'Ed25519' | 'X25519', x: string): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv, x }, format: 'jwk' })

/** Throws for a text that `makePrivateKey` did not make. */
export function keyPairFrom(privateKey: string): KeyPair {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64url'), ...der })
  return {
    publicKey: rawPublicKey(createPublicKey(key)),
    sign: (text) => sign(null, text, key),
  }
}

export const isSignedBy = (publicKey: string, text: Uint8Array, signature: Uint8Array): boolean =>
  verify(null, text, publicKeyFrom('Ed25519', publicKey), signature)
