import {
  createCipheriv,
  createDecipheriv,
  createECDH,
  createHash,
  hkdfSync,
  randomBytes,
  type ECDH,
} from 'node:crypto'

const curve = 'prime256v1'
const algorithm = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** Key, nonce or ciphertext do not fit together. Contains no secret. */
export class CredentialError extends Error {}

/** A challenge as far as encryption needs it; `info`: the constant of the platform. */
export interface CredentialContext {
  challengeId: string
  info: string
}

/** A key pair of P-256 that is used for one challenge only. */
export interface KeyPair {
  /** Uncompressed point, base64. */
  publicKey: string
  /** Key of the cipher, agreed with the other side's public key. Throws CredentialError. */
  agree(otherPublicKey: string, context: CredentialContext): Uint8Array
}

/** `privateKey`: only for known results; otherwise a fresh one. */
export function createKeyPair(privateKey?: Uint8Array): KeyPair {
  const ecdh = createECDH(curve)
  if (privateKey === undefined) ecdh.generateKeys()
  else ecdh.setPrivateKey(privateKey)
  return {
    publicKey: ecdh.getPublicKey('base64'),
    agree(otherPublicKey, { challengeId, info }) {
      // The protocol hashes the x coordinate before it derives the key.
      const shared = createHash('sha256').update(sharedX(ecdh, otherPublicKey)).digest()
      return new Uint8Array(hkdfSync('sha256', shared, challengeId, info, keyBytes))
    },
  }
}

function sharedX(ecdh: ECDH, otherPublicKey: string): Uint8Array {
  try {
    return ecdh.computeSecret(Buffer.from(otherPublicKey, 'base64'))
  } catch {
    throw new CredentialError('the public key is not a point of P-256')
  }
}

/** Encrypts for a daemon. `known`: only for known results. Throws CredentialError. */
export function encryptCredential(
  text: string,
  { serverPublicKey, ...context }: CredentialContext & { serverPublicKey: string },
  known: { own?: KeyPair; nonce?: Uint8Array } = {},
) {
  const { own = createKeyPair(), nonce = randomBytes(nonceBytes) } = known
  const key = own.agree(serverPublicKey, context)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return {
    challengeId: context.challengeId,
    clientPublicKey: own.publicKey,
    encryptedCredential: content.toString('base64'),
    nonce: Buffer.from(nonce).toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
  }
}
/** Parameters of `provide-credential`; all but the first are base64. */
export type EncryptedCredential = ReturnType<typeof encryptCredential>

/** Decrypts with the key pair of the challenge. Throws CredentialError. */
export function decryptCredential(
  credential: EncryptedCredential,
  { own, info }: { own: KeyPair; info: string },
): string {
  const key = own.agree(credential.clientPublicKey, { challengeId: credential.challengeId, info })
  const nonce = Buffer.from(credential.nonce, 'base64')
  const tag = Buffer.from(credential.tag, 'base64')
  if (nonce.length !== nonceBytes || tag.length !== tagBytes) {
    throw new CredentialError('nonce or tag have a wrong length')
  }
  try {
    const cipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
    cipher.setAuthTag(tag)
    const content = Buffer.from(credential.encryptedCredential, 'base64')
    return Buffer.concat([cipher.update(content), cipher.final()]).toString('utf8')
  } catch {
    throw new CredentialError('the credential cannot be decrypted')
  }
}
