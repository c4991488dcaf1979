import type { CacheParts } from '../parts.ts'
import {
  maxCandidates,
  type Candidate,
  type MissEvidence,
} from '../../engines/cache/corruption/corruption-contract.ts'
import { digestOf } from '../../engines/cache/format/key.ts'
import { reportedService } from '../../engines/cache/corruption/structural-evidence.ts'
import type { LogScanOutcome, Miss, RepeatedMiss } from '../../engines/log-scan/contract.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import { errorText } from '../../core/lib/error-text.ts'
import type { DatasourceFacts } from '../datasources/contract.ts'
import { stage, totalsOf } from './detection.ts'

const daySeconds = 86_400

type MissedSettings = { threshold: number; lookbackDays: number }

/** Reads the logs of all datasources; each machine takes its own one after another. */
function scanLogs(
  { clock, config, logScan }: CacheParts,
  { settings, sources }: { settings: MissedSettings; sources: readonly DatasourceFacts[] },
  context: OperationContext,
): Promise<PromiseSettledResult<LogScanOutcome>[]> {
  const toS = Math.floor(clock.now().getTime() / 1000)
  const time = { timeZone: config.timeZone, fromS: toS - settings.lookbackDays * daySeconds, toS }
  const percents = sources.map(() => 0)
  const scans = sources.map(({ scheme, logPath, cachePath, isSliced, sliceBytes }, index) => {
    // `requireClearScheme` has refused every other scheme.
    const recipe = { scheme: scheme === 'bare_metal' ? scheme : ('monolithic' as const) }
    return logScan.repeatedMisses(
      {
        logPath,
        cachePath,
        ...recipe,
        sliceBytes: isSliced ? sliceBytes : 0,
        ...time,
        ...settings,
      },
      {
        signal: context.signal,
        progress: (report) => {
          percents[index] = report.percentComplete
          const facts = { ...report, detectionMethod: 'repeated_miss', count: report.suspects }
          context.report({
            percentComplete: percents.reduce((sum, one) => sum + one, 0) / sources.length,
            stageKey: stage(report.stage === 'reading' ? 'scanningLogs' : 'scanning'),
            context: facts,
            fields: facts,
          })
        },
      },
    )
  })
  return Promise.allSettled(scans)
}

/** Reads the logs of all datasources and stores the repeatedly missed objects. */
export async function runMissed(
  deps: CacheParts,
  settings: MissedSettings,
  context: OperationContext,
): Promise<OperationResult> {
  await deps.datasources.requireClearScheme()
  const sources = await deps.datasources.all()
  context.report({ percentComplete: 0, stageKey: stage('startingRepeatedMiss') })
  const scans = await scanLogs(deps, { settings, sources }, context)
  const candidates: Candidate[] = []
  const outcomes: LogScanOutcome[] = []
  const failures: string[] = []
  for (const [index, { name }] of sources.entries()) {
    const scan = scans[index]
    const outcome = scan?.status === 'fulfilled' ? scan.value : null
    if (context.signal.aborted || outcome?.state === 'cancelled') return { kind: 'cancelled' }
    if (outcome?.state === 'complete') {
      outcomes.push(outcome)
      candidates.push(...outcome.candidates.map((one) => candidateOf(name, one)))
      continue
    }
    const reason = scan?.status === 'rejected' ? errorText(scan.reason) : outcome?.problem
    failures.push(`${name}: ${reason ?? 'the logs could not be read'}`)
  }
  if (failures.length > 0) {
    return { kind: 'failed', error: failures.join('; '), stageKey: stage('failed') }
  }
  const stored = candidates.slice(0, maxCandidates)
  await deps.cache.corruption.saveScan(
    {
      id: context.operationId,
      method: 'repeated_miss',
      mode: null,
      completedAt: deps.clock.now().getTime(),
      settings,
      coverage: null,
      summary: null,
    },
    stored,
  )
  return completed(context, outcomes, { count: candidates.length, stored })
}

function completed(
  context: OperationContext,
  outcomes: LogScanOutcome[],
  { count, stored }: { count: number; stored: Candidate[] },
): OperationResult {
  const sum = (
    name: 'filesRead' | 'linesRead' | 'unsupportedRanges' | 'lateLines' | 'groupsDropped',
  ) => outcomes.reduce((total, outcome) => total + outcome[name], 0)
  const facts = {
    detectionMethod: 'repeated_miss',
    scanId: context.operationId,
    count,
    candidatesNotStored: count - stored.length,
    filesRead: sum('filesRead'),
    linesRead: sum('linesRead'),
    unsupportedRanges: sum('unsupportedRanges'),
    lateLines: sum('lateLines'),
    groupsDropped: sum('groupsDropped'),
  }
  const stageKey = stage('completeRepeatedMiss')
  const fields = { ...facts, ...totalsOf('repeated_miss', stored) }
  return { kind: 'completed', stageKey, context: facts, fields }
}

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()

const observationOf = ({ line, rawUrl }: Miss) => ({
  rawUrl,
  timestamp: iso(line.at),
  clientIp: line.client,
  method: 'GET',
  httpStatus: line.status,
  cacheStatus: 'MISS',
  rawRange: line.range === '' || line.range === '-' ? null : line.range,
  bytesServed: line.bytes,
})

function candidateOf(datasource: string, found: RepeatedMiss): Candidate {
  const { normalizedUri, observedRange, cacheSlice, misses, tag } = found
  const lines = misses.map(({ line }) => line)
  const evidence: MissEvidence = {
    kind: 'repeated_miss',
    rawUrl: misses[0]?.rawUrl ?? '',
    normalizedUri,
    observedRange,
    cacheSlice,
    evidenceCount: misses.length,
    firstSeen: iso(lines[0]?.at ?? 0),
    lastSeen: iso(lines.at(-1)?.at ?? 0),
    observations: misses.map(observationOf),
    lines,
    prints: found.files.map(({ print }) => print),
  }
  const facts = [tag, normalizedUri, JSON.stringify(cacheSlice)]
  return {
    id: `${datasource}:${digestOf(facts.join('\n'))}`,
    datasource,
    service: reportedService(found.service),
    exactPaths: found.files.map(({ path }) => path),
    evidence,
  }
}
