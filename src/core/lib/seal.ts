/*
 * Platform secrets are sealed (`seal.ts`, used by `core/secrets`) with AES-256-GCM. The key is
 * `security/seal.key` (0600), created when first needed. A sealed text is bound to its name, so it
 * cannot be moved to another row. A lost key file makes the secrets unreadable; the dashboard says
 * so, and signing in again replaces them. It never prevents a start.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { keepSecret, randomText } from './secret-file.ts'

const algorithm = 'aes-256-gcm'
const version = 'v1'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** A sealed text cannot be opened, or the key file is unusable. Never contains a secret. */
export class SealError extends Error {}

/** Seals texts with the key of this installation; each is bound to its name. */
export interface Sealer {
  seal(name: string, secret: string): string
  /** Throws SealError when key, name or text differ from those it was sealed with. */
  open(name: string, sealed: string): string
}

/** Additional data for the cipher: a sealed text under another name does not open. */
const boundTo = (name: string) => Buffer.from(`${version}:${name}`)

export function sealerFor(key: Uint8Array): Sealer {
  if (key.length !== keyBytes) throw new SealError(`a sealing key has ${keyBytes} bytes`)
  return {
    seal(name, secret) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      cipher.setAAD(boundTo(name))
      const parts = [cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return [
        version,
        nonce.toString('base64url'),
        Buffer.concat(parts).toString('base64url'),
      ].join('.')
    },
    open(name, sealed) {
      const [form, nonceText = '', bodyText = '', ...rest] = sealed.split('.')
      const nonce = Buffer.from(nonceText, 'base64url')
      const body = Buffer.from(bodyText, 'base64url')
      const isWhole = nonce.length === nonceBytes && body.length >= tagBytes && rest.length === 0
      if (form !== version || !isWhole) throw new SealError(`${name}: not a sealed text`)
      try {
        const cipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
        cipher.setAAD(boundTo(name))
        cipher.setAuthTag(body.subarray(-tagBytes))
        const parts = [cipher.update(body.subarray(0, -tagBytes)), cipher.final()]
        return Buffer.concat(parts).toString('utf8')
      } catch (cause) {
        const text = `${name}: sealed with another key, or altered since`
        throw new SealError(text, { cause })
      }
    },
  }
}

function keyFrom(path: string): Uint8Array {
  let text: string
  try {
    text = keepSecret(path, () => randomText(keyBytes)).secret
  } catch (cause) {
    throw new SealError(`the key file ${path} can be neither read nor made`, { cause })
  }
  const key = Buffer.from(text, 'base64url')
  if (key.length === keyBytes && key.toString('base64url') === text) return key
  throw new SealError(`${path} does not hold a sealing key; restore it from a backup or remove it`)
}

/**
 * The sealer of an installation. Its key file (0600) is created on first use, so that a damaged one
 * fails only what needs it, not the start of the service.
 */
export function sealerAt(path: string): Sealer {
  let opened: Sealer | undefined
  const sealer = () => (opened ??= sealerFor(keyFrom(path)))
  return {
    seal: (name, secret) => sealer().seal(name, secret),
    open: (name, sealed) => sealer().open(name, sealed),
  }
}
