import { randomText } from '../core/lib/secret-file.ts'

const prefix = 'larder_n_'
const secretBytes = 24

/**
 * A token for joining: the public key of the service, so that the node gives the secret to no other,
 * and the secret.
 */
export const makeToken = (servicePublicKey: string): string =>
  `${prefix}${servicePublicKey}${randomText(secretBytes)}`

/** The service's public key in a token; null for a text that is none. */
export function serviceOf(token: string): string | null {
  const [, key = null] = /^larder_n_([\w-]{43})[\w-]{32}$/.exec(token) ?? []
  return key
}

export const hashOf = (token: string): string =>
  new Bun.CryptoHasher('sha256').update(token).digest('hex')
