/*
 * The status check asks the network's DNS for every cache domain and judges the answers by the
 * cache's heartbeat. It starts on request, and every six hours while someone is notified of it.
 * The list comes from GitHub at most once a day, unpacked while it arrives; without it the last
 * copy (`cache-domains/list.json`) serves, and before any fetch the copy in
 * `src/system/status-check/shipped` (MIT, its licence lies beside it). Settings of the caching
 * stack are read by name from its containers or its `.env`, never as a whole. Heartbeats go to
 * private addresses only, probes of the platforms' servers to public ones only.
 */
import pLimit from 'p-limit'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import { errorText } from '../../core/lib/error-text.ts'
import { EngineFailure } from '../../engines/host.ts'
import type { ContentSample, SamplesOutcome } from '../../engines/log-scan/tail-contract.ts'
import type { SystemParts } from '../parts.ts'
import type { DomainLists } from './domains.ts'
import { type AskEdge, probeEdges } from './edges.ts'
import type { StatusCheckResult, ContentPath, ContentReport } from './model.ts'
import { resultOf, sweep, type Basis } from './sweep.ts'
import { publicAddresses } from './public-dns.ts'

const maxAgeSeconds = 30 * 86_400
const concurrency = 4
const displayMax = 256
/** Of each service, over all datasources. */
const hostsPerService = 3

type Parts = Pick<SystemParts, 'config' | 'outside' | 'clock' | 'datasources' | 'logScan'>

const unread: SamplesOutcome = {
  filesRead: 0,
  linesRead: 0,
  isCut: false,
  problem: 'the logs cannot be read',
  scannedBytes: 0,
  samples: [],
}

async function readSamples({ config, clock, datasources, logScan }: Parts) {
  const toS = Math.floor(clock.now().getTime() / 1000)
  const time = { timeZone: config.timeZone, fromS: toS - maxAgeSeconds, toS }
  // How objects are cached does not matter here.
  const asked = { scheme: 'monolithic', sliceBytes: 0, ...time } as const
  const reads = (await datasources.all()).map(({ logPath }) =>
    logScan.samples({ ...asked, logPath }).catch((error: unknown) => {
      // The logs of a node that is away, for one.
      if (error instanceof EngineFailure) return unread
      throw error
    }),
  )
  return Promise.all(reads)
}

/** The newest samples, a few host names of each service. */
function pick(outcomes: readonly SamplesOutcome[]): ContentSample[] {
  const all = outcomes.flatMap(({ samples }) => samples).toSorted((a, b) => b.timeS - a.timeS)
  const counts = new Map<string, number>()
  const seen = new Set<string>()
  return all.filter(({ service, host }) => {
    const key = `${service} ${host}`
    const count = counts.get(service) ?? 0
    if (seen.has(key) || count >= hostsPerService) return false
    seen.add(key)
    counts.set(service, count + 1)
    return true
  })
}

function availabilityOf(
  outcomes: readonly SamplesOutcome[],
  samples: readonly ContentSample[],
): ContentReport['availability'] {
  if (samples.length > 0) return 'available'
  if (outcomes.some(({ linesRead }) => linesRead > 0)) return 'noSamples'
  const isUnreadable = outcomes.some(({ problem }) => problem?.includes('cannot be read') === true)
  return isUnreadable ? 'unreadable' : 'logMissing'
}

/** Asks the platforms' public servers for what clients downloaded lately. */
async function contentReport(
  parts: Parts,
  { ask, signal }: { ask: AskEdge; signal: AbortSignal },
): Promise<ContentReport> {
  const outcomes = await readSamples(parts)
  const samples = pick(outcomes)
  const addressesOf = (name: string) => publicAddresses(parts, name)
  const paths = await pLimit(concurrency).map(samples, async (sample): Promise<ContentPath> => {
    signal.throwIfAborted()
    const { service, host, path, timeS, isHit, status, bytes } = sample
    return {
      service,
      host,
      pathDisplay: (path.split('?', 1)[0] ?? '').slice(0, displayMax),
      sampleObservedAtUtc: new Date(timeS * 1000).toISOString(),
      cacheEvidence: { outcome: isHit ? 'hit' : 'miss', statusCode: status, bytes },
      ...(await probeEdges({ addressesOf, ask }, { host, path })),
    }
  })
  return {
    availability: availabilityOf(outcomes, samples),
    checkedAtUtc: parts.clock.now().toISOString(),
    scanTruncated: outcomes.some(({ isCut }) => isCut),
    scannedBytes: outcomes.reduce((sum, { scannedBytes }) => sum + scannedBytes, 0),
    paths,
  }
}

/** Share of the progress that the domains take; the rest is the content of the logs. */
const domainsPercent = 85
const stage = (name: string) => `signalr.statusCheck.${name}`

/** What a run stands on. */
export interface RunParts {
  deps: SystemParts
  domains: DomainLists
  basis: () => Promise<Basis>
  ask: AskEdge
}

async function check(parts: RunParts, context: OperationContext): Promise<StatusCheckResult> {
  const { deps, domains, ask } = parts
  const { clock, hub } = deps
  const { operationId, signal, report } = context
  const startedAt = clock.now()
  report({ percentComplete: 0, stageKey: stage('starting') })
  const list = await domains.fresh(signal)
  const basis = await parts.basis()
  const services = await sweep(basis, list, {
    signal,
    progress(completedDomains, totalDomains, currentService) {
      const facts = { completedDomains, totalDomains, currentService }
      const percentComplete = (completedDomains / totalDomains) * domainsPercent
      report({ percentComplete, stageKey: stage('checking'), context: facts })
      hub.publish('StatusCheckProgress', { operationId, ...facts })
    },
  })
  report({ percentComplete: domainsPercent, stageKey: stage('content') })
  const content = await contentReport(deps, { ask, signal })
  return resultOf(basis, services, {
    startedAt,
    completedAt: clock.now(),
    contentReport: content,
  })
}

/** One check of every domain; stores its result. */
export async function runStatusCheck(
  parts: RunParts,
  context: OperationContext,
): Promise<OperationResult> {
  const { hub, settings } = parts.deps
  const { operationId, signal } = context
  const finish = (result: StatusCheckResult | null, error: string | null = null) => {
    const facts = { operationId, success: result !== null, cancelled: signal.aborted }
    hub.publish('StatusCheckComplete', { ...facts, error, result })
  }
  try {
    const result = await check(parts, context)
    settings.set('statusCheck.lastResult', result)
    finish(result)
    const { resolvedDomains, totalDomains } = result.summary
    return {
      kind: 'completed',
      context: { resolvedDomains, totalDomains },
      message: `${resolvedDomains} of ${totalDomains} domains lead to the cache`,
    }
  } catch (error) {
    if (signal.aborted) {
      finish(null)
      return { kind: 'cancelled' }
    }
    finish(null, errorText(error))
    throw error
  }
}
