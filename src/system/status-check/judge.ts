import { isPrivateAddress } from '../../core/lib/address.ts'
import type { Answer } from '../../core/lib/dns-question.ts'
import type { CheckedService, DomainCheckResult, HeartbeatResult } from './model.ts'

/** Name below a wildcard that is asked for. */
const probeLabel = 'status-check'
const unspecified = new Set(['0.0.0.0', '::'])

export const probedName = (entry: string): string => entry.replace(/^\*\./, `${probeLabel}.`)

const errors = {
  unknown: 'NXDOMAIN',
  empty: 'No A records returned',
  late: 'DNS query timed out',
  failed: 'The DNS server answered with an error',
} as const

export interface Evidence {
  entry: string
  service: string
  answer: Answer
  latencyMs: number
  expectedIps: string[]
  /** Of each private address. */
  heartbeats: ReadonlyMap<string, HeartbeatResult>
}

/** Judges one domain: the first rule that fits decides. */
export function judge(evidence: Evidence): DomainCheckResult {
  const { entry, service, answer, expectedIps, heartbeats } = evidence
  const resolvedIps = answer.kind === 'found' ? answer.values : []
  const result = {
    domain: probedName(entry),
    originalEntry: entry,
    service,
    resolvedIps,
    expectedIps,
    heartbeatVerified: false,
    servedBy: null,
    error: null,
    latencyMs: Math.round(evidence.latencyMs * 10) / 10,
    edgeProbe: null,
  }
  if (answer.kind !== 'found')
    return { ...result, status: 'unresolved', error: errors[answer.kind] }
  if (resolvedIps.every((ip) => unspecified.has(ip))) return { ...result, status: 'blocked' }
  const beat = resolvedIps.map((ip) => heartbeats.get(ip)).find((one) => one?.reachable)
  if (beat !== undefined) {
    const { servedBy } = beat
    return { ...result, status: 'resolved', heartbeatVerified: true, servedBy }
  }
  if (resolvedIps.some((ip) => expectedIps.includes(ip))) return { ...result, status: 'resolved' }
  return { ...result, status: resolvedIps.some(isPrivateAddress) ? 'unverified' : 'mismatched' }
}

/**
 * Status of a service; a domain that the resolver blocks on purpose does not count, but a service of
 * which every domain is blocked is not resolved.
 */
export function serviceStatus(
  domains: readonly DomainCheckResult[],
  isDisabled: boolean,
): Pick<CheckedService, 'status' | 'resolvedCount' | 'totalCount'> {
  const counted = domains.filter(({ status }) => status !== 'blocked')
  const resolvedCount = counted.filter(({ status }) => status === 'resolved').length
  const counts = { resolvedCount, totalCount: domains.length }
  if (isDisabled) return { ...counts, status: 'disabled' }
  if (resolvedCount > 0 && resolvedCount === counted.length)
    return { ...counts, status: 'resolved' }
  if (resolvedCount > 0) return { ...counts, status: 'partial' }
  const isUnverified = counted.some(({ status }) => status === 'unverified')
  return { ...counts, status: isUnverified ? 'unverified' : 'unresolved' }
}
