import type { CacheParts } from '../parts.ts'
import { refreshIndex } from '../info/refresh-index.ts'
import { leftFacts, type Reach, type WhenAway } from '../away/away.ts'
import type { Part } from '../away/later.ts'
import type {
  Candidate,
  CandidateProgress,
  SavedScan,
} from '../../engines/cache/corruption/corruption-contract.ts'
import type { LogObservation } from '../../engines/logs/changes/line-filter.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'

/** Part of a scan that is removed as one operation. */
export interface RemovalPart {
  scan: SavedScan
  service: string
  candidates: Candidate[]
  /** Those that were chosen; null: all of the service. */
  candidateIds: readonly string[] | null
  whenAway: WhenAway
  /** The part of a node that is back. */
  later?: Part
  /** Index among the services of one call. */
  index: number
  count: number
}

const stage = (name: string): string => `signalr.corruptionRemove.${name}`
/** Files first: if one of them cannot be removed, the logs stay unchanged. */
const filesPercent = 60

/** Removes one service's corrupted files; removed findings leave the stored scan. */
export async function runRemoval(
  deps: CacheParts,
  part: RemovalPart & { reach: Reach },
  context: OperationContext,
): Promise<OperationResult> {
  const { cache } = deps
  const isStructural = part.scan.method === 'structural'
  const shared = {
    service: part.service,
    serviceIndex: part.index,
    serviceCount: part.count,
    detectionMethod: part.scan.method,
  }
  context.report({
    percentComplete: 0,
    stageKey: stage(isStructural ? 'startingStructural' : 'starting'),
    context: shared,
    fields: shared,
  })
  const run = {
    signal: context.signal,
    progress: ({ pass, filesDone, filesTotal }: CandidateProgress) => {
      const share = filesDone / Math.max(1, filesTotal)
      const end = isStructural ? 100 : filesPercent
      const counts = { fileIndex: filesDone, filesProcessed: filesDone, totalFiles: filesTotal }
      const facts = { ...shared, ...counts }
      context.report({
        percentComplete: end * (pass === 'checking' ? share * 0.4 : 0.4 + share * 0.6),
        stageKey: stage(pass === 'checking' ? 'scanningFiles' : 'removingCacheFile'),
        context: facts,
        fields: facts,
      })
    },
  }
  const outcome = isStructural
    ? await cache.corruption.removeStructural(part.candidates, run)
    : await cache.corruption.removeMissed(part.candidates, run)
  const files = {
    ...shared,
    count: part.candidates.length,
    files: outcome.filesDeleted,
    alreadyMissing: outcome.alreadyMissing,
    healed: outcome.healed,
    ...leftFacts(part.reach, part.whenAway),
  }
  const changed = outcome.filesDeleted === 0 ? [] : part.candidates
  for (const datasource of new Set(changed.map((one) => one.datasource))) {
    await refreshIndex(deps, datasource)
  }
  if (outcome.state === 'failed') {
    return { kind: 'failed', error: outcome.problem ?? 'Files could not be removed', fields: files }
  }
  if (outcome.state === 'cancelled') return { kind: 'cancelled', fields: files }
  const logs = isStructural
    ? { logLines: 0, problem: null }
    : await removeLines(deps, { part, kept: outcome.kept }, context)
  if (logs.problem !== null) return { kind: 'failed', error: logs.problem, fields: files }
  if (context.signal.aborted) return { kind: 'cancelled', fields: files }
  const ids = part.candidates.map(({ id }) => id)
  await cache.corruption.dropCandidates(part.scan.id, ids)
  const facts = isStructural
    ? files
    : { ...files, logLines: logs.logLines, logEntries: 0, downloads: 0 }
  const stageKey = stage(isStructural ? 'completeStructural' : 'complete')
  return { kind: 'completed', stageKey, context: facts, fields: facts }
}

/**
 * Removes exactly the log lines that are the evidence. Those of a file that stays remain: the next
 * scan judges it by them.
 */
async function removeLines(
  { logs }: CacheParts,
  { part, kept }: { part: RemovalPart; kept: string[] },
  context: OperationContext,
): Promise<{ logLines: number; problem: string | null }> {
  let logLines = 0
  for (const [datasource, observations] of linesOf(
    part.candidates.filter(({ id }) => !kept.includes(id)),
  )) {
    if (observations.length === 0) continue
    context.report({ percentComplete: filesPercent, stageKey: stage('filteringLogs') })
    const outcome = await logs.removeLines(
      { datasource, filter: { kind: 'observations', observations } },
      {
        signal: context.signal,
        progress: ({ filesProcessed, filesTotal, percentComplete }) =>
          context.report({
            percentComplete: filesPercent + (percentComplete * (100 - filesPercent)) / 100,
            stageKey: stage('filteringFile'),
            context: { fileIndex: filesProcessed, totalFiles: filesTotal, service: part.service },
          }),
      },
    )
    logLines += outcome.linesRemoved
    const [refused] = outcome.refused
    if (refused !== undefined) {
      return { logLines, problem: `${refused.file} was not changed: ${refused.reason}` }
    }
  }
  return { logLines, problem: null }
}

/** Lines to remove from the logs, by datasource. */
function linesOf(candidates: readonly Candidate[]): Map<string, LogObservation[]> {
  const lines = new Map<string, LogObservation[]>()
  for (const { datasource, evidence } of candidates) {
    const own = evidence.kind === 'repeated_miss' ? evidence.lines : []
    lines.set(datasource, [...(lines.get(datasource) ?? []), ...own])
  }
  return lines
}
