import { Resolver } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'

/** `empty`: the resolver has no record; `failed`: refused; `late`: timed out. */
export type Answer = { kind: 'found'; values: string[] } | { kind: 'empty' | 'failed' | 'late' }

const emptyCodes = new Set(['ENOTFOUND', 'ENODATA'])
const lateCodes = new Set(['ETIMEOUT', 'ECANCELLED', 'ETIMEDOUT'])

/** The resolver and the time limit. */
export interface Target {
  server: string
  limitMs: number
}

async function ask(
  { server, limitMs }: Target,
  question: (resolver: Resolver) => Promise<string[]>,
): Promise<Answer> {
  // One resolver per query, because cancelling aborts all queries of a resolver. Its own timeout is
  // only approximate.
  const resolver = new Resolver({ timeout: limitMs, tries: 1 })
  const timer = setTimeout(() => resolver.cancel(), limitMs)
  try {
    resolver.setServers([server])
    const values = await question(resolver)
    return values.length === 0 ? { kind: 'empty' } : { kind: 'found', values }
  } catch (error) {
    // Anything may be thrown; without a code it counts as a refusal.
    const { code = '' } = error as { code?: string }
    if (emptyCodes.has(code)) return { kind: 'empty' }
    return { kind: lateCodes.has(code) ? 'late' : 'failed' }
  } finally {
    clearTimeout(timer)
  }
}

/** `5.0.0.10.in-addr.arpa`, or 32 nibbles under `ip6.arpa`. */
export function pointerName(address: string): string {
  const parsed = ipaddr.process(address)
  const bytes = parsed.toByteArray().toReversed()
  if (parsed.kind() === 'ipv4') return `${bytes.join('.')}.in-addr.arpa`
  const nibbles = bytes.flatMap((byte) => [byte & 15, byte >> 4])
  return `${nibbles.map((nibble) => nibble.toString(16)).join('.')}.ip6.arpa`
}

/** Not `reverse`: it does not distinguish a missing name from an unreachable resolver. */
export const askName = (target: Target, address: string): Promise<Answer> =>
  ask(target, (resolver) => resolver.resolvePtr(pointerName(address)))

export const askAddresses = (target: Target, name: string): Promise<[Answer, Answer]> =>
  Promise.all([
    ask(target, (resolver) => resolver.resolve4(name)),
    ask(target, (resolver) => resolver.resolve6(name)),
  ])
