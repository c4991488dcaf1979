import type { Batch, CacheInfo } from '../../api/wire.ts'

/** What is known about the space: a forecast, only the space, or nothing. */
export type Room =
  | { kind: 'days'; days: number; perDay: number; used: number; total: number }
  | { kind: 'space'; free: number; used: number; total: number }
  | { kind: 'full'; used: number; total: number }
  | { kind: 'unknown' }

/** Longer forecasts would be fortune-telling. */
export const forecastDaysMax = 3650
/** Below this share of the whole the cache counts as full: the proxy starts to drop files. */
const fullShare = 0.005
const daySeconds = 86_400

/** What the cache may still take: its own limit and the disk below it both count. */
export function spaceOf(cache: CacheInfo): { free: number; used: number; total: number } | null {
  const total = cache.totalCacheSize
  if (total <= 0) return null
  const isLimited = cache.configuredCacheSize > 0
  const used = isLimited && cache.hasCacheScan ? cache.cacheScanTotalBytes : cache.usedCacheSize
  const byLimit = Math.max(0, total - used)
  const free = cache.driveCapacity > 0 ? Math.min(byLimit, cache.freeCacheSize) : byLimit
  return { free, used: Math.min(used, total), total }
}

/**
 * Days until nothing fits any more, by the growth inside the shown range: measured sizes where two
 * exist, else what was fetched. `seconds` is the length of the range that holds data.
 */
export function roomLeft(batch: Batch, seconds: number): Room {
  const space = batch.cache === undefined || batch.cache === null ? null : spaceOf(batch.cache)
  if (space === null) return { kind: 'unknown' }
  const { free, used, total } = space
  if (free < total * fullShare) return { kind: 'full', used, total }
  const snapshot = batch.cacheSnapshot
  const isMeasured =
    snapshot !== undefined && snapshot !== null && snapshot.hasData && !snapshot.isEstimate
  const grown = isMeasured
    ? snapshot.endUsedSize - snapshot.startUsedSize
    : (batch.dashboard?.period.addedToCache ?? 0)
  if (seconds < 3600 || grown <= 0) return { kind: 'space', free, used, total }
  const perDay = (grown / seconds) * daySeconds
  const days = free / perDay
  return days > forecastDaysMax
    ? { kind: 'space', free, used, total }
    : { kind: 'days', days, perDay, used, total }
}
