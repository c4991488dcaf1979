import { workerLog, type JobContext } from '../../engine.ts'
import type {
  CacheContent,
  CacheRoot,
  ObjectName,
  RootState,
  WalkOutcome,
  WalkProgress,
} from '../contract.ts'
import { pathsOf } from './paths.ts'
import { presentIn } from './presence.ts'
import { samplePaths } from './sample-paths.ts'
import { cacheSession, closeSession, damagedIndex, openSession } from './session.ts'
import { deletionSecondsOf, lastSizeScan, saveSizeScan } from './size-scan.ts'
import type { WalkRequest } from './walk-queue.ts'
import { walkRoot, WalkReporter } from './walk-run.ts'

/** Jobs of the file index; the facade allows one walk at a time. */
export const indexJobs = {
  /** Returns where a damaged index was moved, null when it was intact. */
  async start(input: { dataPath: string; roots: CacheRoot[] }): Promise<string | null> {
    await openSession(input.dataPath).configure(input.roots)
    const copy = damagedIndex()
    if (copy !== null) workerLog.warn('the cache index was damaged and is being rebuilt', { copy })
    return copy
  },

  /** Trees may have changed since the start: another slice size, another path. */
  async configure(roots: CacheRoot[]): Promise<void> {
    await cacheSession().configure(roots)
  },

  async walk(input: WalkRequest, context: JobContext<WalkProgress>): Promise<WalkOutcome[]> {
    const session = cacheSession()
    const roots = session.rootsOf(input.datasource)
    const reporter = new WalkReporter(roots.length, (report) => context.progress(report))
    const outcomes: WalkOutcome[] = []
    session.cachePages(true)
    try {
      for (const [done, root] of roots.entries()) {
        const outcome = await walkRoot(session, root, {
          depth: input.depth,
          accept: input.accept,
          isCancelled: () => context.isCancelled(),
          onSlice: (state, tree) => reporter.slice(root.datasource, done, { state, tree }),
        })
        const { datasource, state, problem } = outcome
        if (problem !== null) workerLog.warn('the cache was not walked', { datasource, problem })
        outcomes.push(outcome)
        if (state === 'cancelled') break
      }
    } finally {
      session.cachePages(false)
    }
    return outcomes
  },

  roots: (_nothing: null): RootState[] => cacheSession().states(),

  contents(_nothing: null): CacheContent[] {
    const rows = cacheSession()
      .store.database.query<Omit<CacheContent, 'sampleUris'> & { samples: string }, []>(
        `SELECT c.id, r.datasource, c.tag, c.service, c.title_key AS titleKey, c.files, c.bytes,
           c.last_stored_at AS lastStoredAt, c.sample_uris AS samples
           FROM cache_content c JOIN cache_root r ON r.id = c.root_id
           WHERE c.files > 0 ORDER BY c.bytes DESC, c.id`,
      )
      .all()
    // The walk writes samples as a list of strings.
    return rows.map(({ samples, ...row }) => ({
      ...row,
      sampleUris: JSON.parse(samples) as string[],
    }))
  },

  present: (names: ObjectName[]) => presentIn(cacheSession(), names),

  /** Paths of these contents' files on disk. */
  async paths(input: { contentIds: number[]; limit: number }): Promise<string[]> {
    return pathsOf(cacheSession(), input)
  },

  samplePaths: (contents: CacheContent[]) => samplePaths(cacheSession(), contents),

  lastSizeScan: (_nothing: null) => lastSizeScan(cacheSession()),

  saveSizeScan: (input: Parameters<typeof saveSizeScan>[1]) => saveSizeScan(cacheSession(), input),

  deletionSeconds: (input: Parameters<typeof deletionSecondsOf>[1]) =>
    deletionSecondsOf(cacheSession(), input),

  stop(_nothing: null): void {
    closeSession()
  },
}
