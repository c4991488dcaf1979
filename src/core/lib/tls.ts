import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'

/** Files in PEM form: the certificate with its chain, and its key. */
export interface TlsPaths {
  certPath: string
  keyPath: string
}

export interface TlsPair {
  cert: string
  key: string
}

/** Reads both files. Throws when one is unreadable or they do not belong together. */
export function readTlsPair({ certPath, keyPath }: TlsPaths): TlsPair {
  const pair = { cert: readFileSync(certPath, 'utf8'), key: readFileSync(keyPath, 'utf8') }
  // An empty text would count as "none given".
  if (pair.cert.trim() === '' || pair.key.trim() === '') throw new Error('a file is empty')
  createSecureContext(pair)
  return pair
}
