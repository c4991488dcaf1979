import { createHash, timingSafeEqual } from 'node:crypto'
import type { DaemonRequest } from '../protocol/envelopes.ts'

const sha256 = (text: string): Uint8Array =>
  new Uint8Array(createHash('sha256').update(text).digest())

const refusals = {
  secret: 'Authentication failed: invalid secret',
  order: "Authentication required. Send 'auth' command with secret first.",
}

/**
 * Judges the first request of a client. The returned function gives the reason for a refusal, or
 * null. Secrets are compared in constant time, whatever their lengths.
 */
export function authenticator(secret: string): (request: DaemonRequest) => string | null {
  const expected = sha256(secret)
  return ({ type, parameters }) => {
    if (type !== 'auth') return refusals.order
    const isRight = timingSafeEqual(sha256(parameters['secret'] ?? ''), expected)
    return isRight ? null : refusals.secret
  }
}
