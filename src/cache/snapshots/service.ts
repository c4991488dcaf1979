/*
 * Snapshots are never made up. Once an hour the used size goes into the history. While Postgres or
 * the disk is away there is a gap: the size of that hour is not known afterwards.
 */
import type { CacheParts } from '../parts.ts'
import { shownRun } from '../../core/schedules/shown-run.ts'
import { cacheInfo } from '../info/service.ts'
import { periodOf, type Scope, scopeOf } from '../../downloads/contract.ts'
import { forecastOf } from './forecast.ts'
import { addSnapshot, historyOf, removeBefore, sizesSince, snapshotOf } from './store.ts'

const dayMs = 86_400_000
const daySeconds = 86_400
/** Days of growth that the forecast uses. */
const forecastDays = 30
/** Default range without a start. */
const historyDays = 30

/** Hourly measured sizes of the cache. Throws HistoryUnavailable. */
export function createSnapshots(deps: CacheParts) {
  const { read, cached } = deps.reports
  const { clock } = deps
  return {
    /** Size over a closed period; empty for an open one. */
    period: (scope: Scope) =>
      cached('snapshot', scope, () => read((sql) => snapshotOf(sql, scope.period))),
    async forecast() {
      const now = clock.now()
      const since = new Date(now.getTime() - forecastDays * dayMs)
      const [points, cache] = await Promise.all([
        // Callers within two seconds share one answer.
        cached('sizes', scopeOf({}), () => read((sql) => sizesSince(sql, since, now))),
        cacheInfo(deps),
      ])
      return forecastOf(points, cache, now)
    },
    history(query: { start?: number | undefined; end?: number | undefined }) {
      const now = Math.floor(clock.now().getTime() / 1000)
      const end = query.end ?? now
      const start = query.start ?? Math.max(0, end - historyDays * daySeconds)
      periodOf(start, end)
      return read((sql) => historyOf(sql, { start, end }))
    },
  }
}
export type Snapshots = ReturnType<typeof createSnapshots>

/**
 * Measures the cache now and stores its size. A disk or history that is away leaves a gap: sizes
 * are never made up afterwards.
 */
export async function takeSnapshot(
  deps: Pick<CacheParts, 'config' | 'disk' | 'cache' | 'history' | 'clock' | 'log' | 'schedules'>,
): Promise<void> {
  const { history, clock, log } = deps
  const cache = await cacheInfo(deps)
  if (cache.driveState !== 'ok') {
    log.debug({ state: cache.driveState }, 'no snapshot: the disk of the cache is not mounted')
    return
  }
  const at = clock.now()
  const sizes = { usedBytes: cache.usedCacheSize, totalBytes: cache.totalCacheSize }
  const { retentionDays } = deps.config.cacheSnapshots
  await history.read(async (_db, sql) => {
    await addSnapshot(sql, { at, ...sizes })
    if (deps.schedules.trustsClock())
      await removeBefore(sql, new Date(at.getTime() - retentionDays * dayMs))
  })
}

/** Schedules the snapshots. */
export function keepSnapshots(deps: CacheParts): void {
  const shown = { type: 'cacheSnapshot', events: { prefix: 'CacheSnapshot' } } as const
  deps.schedules.register({
    serviceKey: 'cacheSnapshot',
    intervalHours: deps.config.cacheSnapshots.intervalMinutes / 60,
    runOnStartup: false,
    card: { notificationMode: 'manual', operationType: shown.type },
    run: shownRun(deps.operations, shown, () => takeSnapshot(deps)),
  })
}
