import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Removes the permissions of other users where allowed: a read-only mount stays as it is. */
export function closeToOthers(path: string): void {
  try {
    const { mode } = statSync(path)
    if ((mode & 0o077) !== 0) chmodSync(path, mode & 0o700)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code !== 'EPERM' && code !== 'EROFS') throw error
  }
}

/** Content of a secret file; null when missing. Throws other errors. */
export function readSecretFile(path: string): string | null {
  try {
    const text = readFileSync(path, 'utf8').trim()
    closeToOthers(path)
    return text === '' ? null : text
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new Error(`cannot read ${path}`, { cause: error })
  }
}

/**
 * Replaces a secret file atomically; it is never readable for other users, not even for a moment.
 */
export const writeSecretFile = (path: string, secret: string): void =>
  writeThrough(`${path}.new`, path, secret)

/** The same for a file that several processes write: each goes through a file of its own. */
export const writeSharedFile = (path: string, text: string): void =>
  writeThrough(`${path}.${process.pid}.new`, path, text)

function writeThrough(fresh: string, path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openSync(fresh, 'w', 0o600)
  try {
    chmodSync(fresh, 0o600)
    writeSync(file, `${text}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(fresh, path)
}

/** Reads the secret, or creates and stores one. */
export function keepSecret(path: string, make: () => string): { secret: string; isNew: boolean } {
  const known = readSecretFile(path)
  if (known !== null) return { secret: known, isNew: false }
  const secret = make()
  writeSecretFile(path, secret)
  return { secret, isNew: true }
}

/** Random bytes as base64url. */
export const randomText = (bytes: number): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64url')
