/*
 * A download is evicted when none of its sampled objects is in the index. The walk comes first;
 * downloads that ended less than two minutes before it are left for the next scan. One object is
 * checked for each download, the others only where that one is missing. An empty, failed or
 * collapsed tree changes nothing.
 */
import type { Watch } from '../../engines/engine.ts'
import type { History } from '../../../db/history/history.ts'
import type { CacheEngine } from '../../engines/cache/cache-engine.ts'
import { judge, Trees } from './judge.ts'
import {
  batchSize,
  countCandidates,
  nextCandidates,
  nextEvicted,
  pruneOrphans,
  setEvicted,
  settleSums,
} from './store.ts'

/**
 * Downloads that ended less than this long before the walk are left for the next scan: their last
 * cache files may have been stored after the walk passed.
 */
const settleSeconds = 120
/** Minimum age of downloads without samples before they are pruned. */
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

export interface ScanRun extends Watch<ScanProgress> {
  prunesOrphans: boolean
}

const nothing = { totalProcessed: 0, totalEvicted: 0, totalUnEvicted: 0, totalPruned: 0 }

/**
 * Brings the evicted flags of all finished downloads in line with the cache: walks the cache, then
 * looks for the sampled objects of each download in the index. Where a tree failed, has collapsed or
 * is empty without having been cleared, its downloads stay as they are. Rejects with
 * HistoryUnavailable.
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
  if (!roots.some(({ state, isConclusive }) => state === 'complete' && isConclusive)) {
    const reason = walked.find(({ problem }) => problem !== null)?.problem
    return { state: 'abstained', reason: reason ?? 'No files were found in the cache', ...nothing }
  }
  const trees = new Trees(roots)
  report.filesFound = roots.reduce((sum, { files }) => sum + files, 0)
  report.totalEstimate = await history.read((_db, sql) => countCandidates(sql, endedBefore))
  const totals = { ...nothing }
  for (let afterId = 0; ;) {
    if (run.signal.aborted) return { state: 'cancelled', reason: null, ...totals }
    const from = afterId
    const batch = await history.read((_db, sql) => nextCandidates(sql, from, endedBefore))
    const last = batch.at(-1)
    if (last === undefined) break
    const changes = await judge(cache, trees, batch)
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
  await history.read((_db, sql) => settleSums(sql))
  return { state: 'completed', reason: null, ...totals }
}

/**
 * Clears the flag of downloads with a cache file in the index again; sets none. For callers that
 * have just walked the cache. Returns how many. Rejects with HistoryUnavailable.
 */
export async function restoreFound(
  { cache, history }: Pick<ScanParts, 'cache' | 'history'>,
  signal: AbortSignal,
): Promise<number> {
  const trees = new Trees(await cache.roots())
  let total = 0
  for (let afterId = 0; !signal.aborted;) {
    const from = afterId
    const batch = await history.read((_db, sql) => nextEvicted(sql, from))
    const last = batch.at(-1)
    if (last === undefined) break
    const { found } = await judge(cache, trees, batch)
    total += await mark(history, found, false)
    afterId = last.id
  }
  return total
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
