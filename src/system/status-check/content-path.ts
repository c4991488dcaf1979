import pLimit from 'p-limit'
import { EngineFailure } from '../../engines/host.ts'
import type { ContentSample, SamplesOutcome } from '../../engines/log-scan/tail-contract.ts'
import type { SystemParts } from '../parts.ts'
import { probeEdges, type AskEdge } from './edges.ts'
import type { ContentPath, ContentReport } from './model.ts'
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
export async function contentReport(
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
