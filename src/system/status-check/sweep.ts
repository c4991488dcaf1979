import pLimit from 'p-limit'
import type { StackSettings } from '../../cache/contract.ts'
import { isDisabled, type Domains } from './domains.ts'
import type { Heartbeats } from './heartbeats.ts'
import { judge, probedName, serviceStatus } from './judge.ts'
import type {
  CheckedService,
  ContentReport,
  DomainCheckResult,
  HeartbeatResult,
  StatusCheckResult,
} from './model.ts'
import { resolve, type Expected, type Resolver } from './resolver.ts'

/** Domains asked for at a time. */
const concurrency = 16

export interface Basis {
  stack: StackSettings
  resolver: Resolver
  expected: Expected
  heartbeats: Heartbeats
}

/** Resolves and judges one entry of the list. */
export async function checkDomain(
  { resolver, expected, heartbeats }: Basis,
  { entry, service }: { entry: string; service: string },
): Promise<DomainCheckResult> {
  const { answer, latencyMs } = await resolve(resolver.server, probedName(entry))
  const beats = await heartbeats.ofAll(answer.kind === 'found' ? answer.values : [])
  return judge({
    entry,
    service,
    answer,
    latencyMs,
    expectedIps: expected.ips,
    heartbeats: beats,
  })
}

/** Checks every domain of every service. Rejects with the signal's reason. */
export async function sweep(
  basis: Basis,
  { services }: Domains,
  run: { signal: AbortSignal; progress: (done: number, total: number, service: string) => void },
): Promise<CheckedService[]> {
  const inTurn = pLimit(concurrency)
  const total = services.reduce((sum, { domains }) => sum + domains.length, 0)
  let done = 0
  return Promise.all(
    services.map(async ({ name, description, domains }) => {
      const checked = await Promise.all(
        domains.map((entry) =>
          inTurn(async () => {
            run.signal.throwIfAborted()
            const result = await checkDomain(basis, { entry, service: name })
            run.progress(++done, total, name)
            return result
          }),
        ),
      )
      const status = serviceStatus(checked, isDisabled(basis.stack, name))
      return { service: name, description, ...status, domains: checked }
    }),
  )
}

function summaryOf(services: readonly CheckedService[]): StatusCheckResult['summary'] {
  const withStatus = (wanted: CheckedService['status']) =>
    services.filter(({ status }) => status === wanted).length
  const domains = services
    .filter(({ status }) => status !== 'disabled')
    .flatMap((service) => service.domains)
  const domainsWith = (wanted: DomainCheckResult['status']) =>
    domains.filter(({ status }) => status === wanted).length
  return {
    totalServices: services.length,
    resolvedServices: withStatus('resolved'),
    partialServices: withStatus('partial'),
    unresolvedServices: withStatus('unresolved'),
    disabledServices: withStatus('disabled'),
    unverifiedServices: withStatus('unverified'),
    totalDomains: domains.length,
    resolvedDomains: domainsWith('resolved'),
    unverifiedDomains: domainsWith('unverified'),
  }
}

function nodesOf(domains: readonly DomainCheckResult[]): StatusCheckResult['cacheNodes'] {
  const nodes = new Map<string, Set<string>>()
  for (const { servedBy, resolvedIps } of domains) {
    if (servedBy === null) continue
    const ips = nodes.get(servedBy) ?? new Set()
    nodes.set(servedBy, ips)
    for (const ip of resolvedIps) ips.add(ip)
  }
  return [...nodes].map(([servedBy, ips]) => ({ servedBy, ips: [...ips] }))
}

/**
 * The heartbeat of the cache that domains should lead to; of those they do lead to where none of the
 * expected addresses may be asked: on one machine the cache is often configured as loopback.
 */
async function cacheHeartbeat(
  { expected, heartbeats }: Pick<Basis, 'expected' | 'heartbeats'>,
  domains: readonly DomainCheckResult[],
): Promise<HeartbeatResult> {
  const named = await heartbeats.ofAll(expected.ips)
  const led = domains.flatMap(({ resolvedIps }) => resolvedIps)
  const beats = [...(named.size > 0 ? named : await heartbeats.ofAll(led)).values()]
  const error = 'No address of a cache is known'
  const none = { reachable: false, servedBy: null, cacheIp: null, error }
  return beats.find(({ reachable }) => reachable) ?? beats[0] ?? none
}

export async function resultOf(
  basis: Basis,
  services: CheckedService[],
  run: { startedAt: Date; completedAt: Date; contentReport: ContentReport },
): Promise<StatusCheckResult> {
  const { resolver, expected } = basis
  const domains = services.flatMap((service) => service.domains)
  const latencies = domains.flatMap(({ latencyMs, status }) =>
    latencyMs === null || status === 'unresolved' ? [] : [latencyMs],
  )
  const sum = latencies.reduce((all, ms) => all + ms, 0)
  return {
    startedAtUtc: run.startedAt.toISOString(),
    completedAtUtc: run.completedAt.toISOString(),
    resolverSource: resolver.source,
    dnsServer: resolver.server,
    expectedCacheIps: expected.ips,
    expectedIpSource: expected.source,
    heartbeat: await cacheHeartbeat(basis, domains),
    services,
    summary: summaryOf(services),
    avgLatencyMs: latencies.length === 0 ? null : Math.round((sum / latencies.length) * 10) / 10,
    cacheNodes: nodesOf(domains),
    contentReport: run.contentReport,
  }
}
