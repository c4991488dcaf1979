import { normalAddress } from '../../core/lib/address.ts'

const nameCharsMax = 253
const labelPattern = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i

/** A DNS name without its trailing dot; null when invalid or too long. */
export function dnsName(text: string): string | null {
  const name = text.trim().replace(/\.$/, '')
  if (name === '' || name.length > nameCharsMax || normalAddress(name) !== null) return null
  // A numeric last label means a malformed address, never a name.
  if (/^\d+$/.test(name.split('.').at(-1) ?? '')) return null
  return name.split('.').every((label) => labelPattern.test(label)) ? name : null
}

/**
 * A client's name from a resolver; null for names invented by container runtimes, which are
 * useless.
 */
export function clientName(text: string): string | null {
  const name = dnsName(text)
  if (name === null || /(^|\.)(docker\.internal|in-addr\.arpa|ip6\.arpa)$/i.test(name)) return null
  return name
}
