import type { History } from '../../db/history/history.ts'
import type { CacheEngine, KeyScheme, ObjectName } from '../engines/cache/contract.ts'
import {
  batchSize,
  countCandidates,
  nextCandidates,
  pruneOrphans,
  setEvicted,
  type Candidate,
} from './store.ts'
import { evidenceOf, isEvictedBy } from './verdict.ts'

/** Names in one question to the index. */
const namesMax = 8000
/**
 * Downloads that ended less than this before the walk are left for the next scan: their last pieces
 * may have been stored after the walk had passed.
 */
const settleSeconds = 120
/** Downloads without a trace have to be at least this old before they are pruned. */
const orphanSeconds = 300

export interface ScanProgress {
  stage: 'scanningFiles' | 'progress' | 'postProcessing'
  /** 0 to 100. */
  percentComplete: number
  filesFound: number
  totalProcessed: number
  totalEstimate: number
}

export interface ScanOutcome {
  state: 'completed' | 'cancelled' | 'abstained'
  /** Why nothing was changed; null otherwise. */
  reason: string | null
  totalProcessed: number
  totalEvicted: number
  totalUnEvicted: number
  totalPruned: number
}

export interface ScanParts {
  cache: Pick<CacheEngine, 'walk' | 'roots' | 'present'>
  history: Pick<History, 'read'>
  now: () => Date
}

export interface ScanRun {
  prunesOrphans: boolean
  signal: AbortSignal
  progress(report: ScanProgress): void
}

const nothing = { totalProcessed: 0, totalEvicted: 0, totalUnEvicted: 0, totalPruned: 0 }

/**
 * Brings the evicted flags of all finished downloads in line with the cache: walks the cache, then
 * looks for the sampled objects of each download in the index. Where a tree is empty, failed or has
 * collapsed, its downloads stay as they are. Rejects with HistoryUnavailable.
 */
export async function scanEvictions(parts: ScanParts, run: ScanRun): Promise<ScanOutcome> {
  const { cache, history } = parts
  const endedBefore = Math.floor(parts.now().getTime() / 1000) - settleSeconds
  const report = { filesFound: 0, totalProcessed: 0, totalEstimate: 0 }
  const walked = await cache.walk(
    { datasource: null, depth: 'directories' },
    {
      signal: run.signal,
      progress({ percentComplete, filesSeen }) {
        report.filesFound = filesSeen
        const percent = percentComplete / 2
        run.progress({ stage: 'scanningFiles', percentComplete: percent, ...report })
      },
    },
  )
  if (run.signal.aborted) return { state: 'cancelled', reason: null, ...nothing }
  const roots = await cache.roots()
  if (!roots.some(({ state, files }) => state === 'complete' && files > 0)) {
    const reason = walked.find(({ problem }) => problem !== null)?.problem
    return { state: 'abstained', reason: reason ?? 'No files were found in the cache', ...nothing }
  }
  const schemes = new Map(roots.map(({ datasource, scheme }) => [datasource, scheme]))
  report.filesFound = roots.reduce((sum, { files }) => sum + files, 0)
  report.totalEstimate = await history.read((_db, sql) => countCandidates(sql, endedBefore))
  const totals = { ...nothing }
  for (let afterId = 0; ;) {
    if (run.signal.aborted) return { state: 'cancelled', reason: null, ...totals }
    const from = afterId
    const batch = await history.read((_db, sql) => nextCandidates(sql, from, endedBefore))
    const last = batch.at(-1)
    if (last === undefined) break
    const changes = await judge(cache, schemes, batch)
    totals.totalEvicted += await mark(history, changes.evicted, true)
    totals.totalUnEvicted += await mark(history, changes.present, false)
    totals.totalProcessed += batch.length
    report.totalProcessed = totals.totalProcessed
    const share = totals.totalProcessed / Math.max(report.totalEstimate, 1)
    run.progress({ stage: 'progress', percentComplete: 50 + 35 * Math.min(share, 1), ...report })
    afterId = last.id
  }
  run.progress({ stage: 'postProcessing', percentComplete: 86, ...report })
  if (run.prunesOrphans) totals.totalPruned = await prune(parts, run.signal)
  return { state: 'completed', reason: null, ...totals }
}

const mark = (history: ScanParts['history'], ids: number[], isEvicted: boolean) =>
  history.read((_db, sql) => setEvicted(sql, ids, isEvicted))

async function prune({ history, now }: ScanParts, signal: AbortSignal): Promise<number> {
  const endedBefore = Math.floor(now().getTime() / 1000) - orphanSeconds
  let total = 0
  while (!signal.aborted) {
    const count = await history.read((_db, sql) => pruneOrphans(sql, endedBefore))
    total += count
    if (count < batchSize) break
  }
  return total
}

/** Ids whose flag has to change. Most downloads are there: one object of each is asked first. */
async function judge(
  cache: Pick<CacheEngine, 'present'>,
  schemes: Map<string, KeyScheme>,
  batch: readonly Candidate[],
): Promise<{ evicted: number[]; present: number[] }> {
  const samples = batch.map(namesOf)
  const first = await ask(
    cache,
    samples.map((names) => names.slice(0, 1)),
  )
  const rest = await ask(
    cache,
    samples.map((names, at) => (first[at]?.includes(true) === true ? [] : names.slice(1))),
  )
  const evicted: number[] = []
  const present: number[] = []
  batch.forEach((download, at) => {
    const evidence = evidenceOf([...(first[at] ?? []), ...(rest[at] ?? [])])
    const scheme = schemes.get(download.datasource) ?? null
    const isEvicted = isEvictedBy({ ...download, evidence, scheme })
    if (isEvicted === null || isEvicted === download.isEvicted) return
    if (isEvicted) evicted.push(download.id)
    else present.push(download.id)
  })
  return { evicted, present }
}

function namesOf({ datasource, tag, objectKeys }: Candidate): ObjectName[] {
  return objectKeys.map((key) => {
    const space = key.indexOf(' ')
    return { datasource, tag, uri: key.slice(space + 1), firstByte: Number(key.slice(0, space)) }
  })
}

/** Asks about groups of names in questions of a bounded size; answers in the same groups. */
async function ask(
  cache: Pick<CacheEngine, 'present'>,
  groups: readonly ObjectName[][],
): Promise<(boolean | null)[][]> {
  const names = groups.flat()
  const answers: (boolean | null)[] = []
  for (let from = 0; from < names.length; from += namesMax) {
    answers.push(...(await cache.present(names.slice(from, from + namesMax))))
  }
  let at = 0
  return groups.map((group) => answers.slice(at, (at += group.length)))
}
