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
import { stage, totalsOf } from './detection.ts'

const daySeconds = 86_400

/** Reads the logs of all datasources and stores the repeatedly missed objects. */
export async function runMissed(
  deps: CacheParts,
  settings: { threshold: number; lookbackDays: number },
  context: OperationContext,
): Promise<OperationResult> {
  await deps.datasources.requireClearScheme()
  const sources = await deps.datasources.all()
  const toS = Math.floor(deps.clock.now().getTime() / 1000)
  const fromS = toS - settings.lookbackDays * daySeconds
  const candidates: Candidate[] = []
  const outcomes: LogScanOutcome[] = []
  context.report({ percentComplete: 0, stageKey: stage('startingRepeatedMiss') })
  for (const [index, source] of sources.entries()) {
    const { name, scheme, logPath, cachePath } = source
    // `requireClearScheme` has refused every other scheme.
    const recipe = { scheme: scheme === 'bare_metal' ? scheme : ('monolithic' as const) }
    const sliceBytes = source.isSliced ? source.sliceBytes : 0
    const timeZone = deps.config.timeZone
    const outcome = await deps.logScan.repeatedMisses(
      { logPath, cachePath, ...recipe, sliceBytes, timeZone, ...settings, fromS, toS },
      {
        signal: context.signal,
        progress: (report) => {
          const facts = { ...report, detectionMethod: 'repeated_miss', count: report.suspects }
          context.report({
            percentComplete: (index * 100 + report.percentComplete) / sources.length,
            stageKey: stage(report.stage === 'reading' ? 'scanningLogs' : 'scanning'),
            context: facts,
            fields: facts,
          })
        },
      },
    )
    if (context.signal.aborted || outcome.state === 'cancelled') return { kind: 'cancelled' }
    if (outcome.state === 'failed') {
      const error = `${name}: ${outcome.problem ?? 'the logs could not be read'}`
      return { kind: 'failed', error, stageKey: stage('failed') }
    }
    outcomes.push(outcome)
    candidates.push(...outcome.candidates.map((one) => candidateOf(name, one)))
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
