import { phraseBook, type Phrase } from '../../core/lib/phrases.ts'
import type { NetworkDiagnostics } from '../transports/contract.ts'

/** What to do about each fault; the settings are environment variables of this service. */
const adviceTexts = {
  noInternet:
    'No internet access: check the network of the container engine, or set Prefill__NetworkMode=host.',
  dnsFailed:
    '{domain} cannot be resolved: set Prefill__LancacheDnsIp to the address of the cache’s DNS server.',
  dnsFailedOnHost: '{domain} cannot be resolved: let this machine use the DNS server of the cache.',
  dnsPublic:
    '{domain} would bypass the cache: set Prefill__LancacheIp to the address of the cache.',
  ipv6: 'IPv6 bypasses the cache: switch it off on this machine, or set Prefill__NetworkMode=bridge.',
} as const

export type AdviceKey = keyof typeof adviceTexts
export const advicePhrase = phraseBook(adviceTexts)

/** One sentence for each fault, the most serious first; none: nothing needs to be done. */
export function adviceFor(
  facts: Omit<NetworkDiagnostics, 'testedAt' | 'advice'>,
): Phrase<AdviceKey>[] {
  const advice: Phrase<AdviceKey>[] = []
  const failed = facts.dnsResults.find(({ success }) => !success)?.domain
  const open = facts.dnsResults.find(({ success, isPrivateIp }) => success && !isPrivateIp)?.domain
  if (!facts.internetConnectivity) advice.push(advicePhrase('noInternet'))
  if (failed !== undefined) {
    const key = facts.useHostNetworking ? 'dnsFailedOnHost' : 'dnsFailed'
    advice.push(advicePhrase(key, { domain: failed }))
  }
  // A daemon that was given the address of the cache needs no DNS for it.
  if (facts.lancacheIpInjected === null && open !== undefined) {
    advice.push(advicePhrase('dnsPublic', { domain: open }))
  }
  if (facts.internetConnectivityIpv6 === true) advice.push(advicePhrase('ipv6'))
  return advice
}
