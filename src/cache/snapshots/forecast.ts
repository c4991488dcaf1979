import type { CacheInfo } from '../info/model.ts'
import { growthOf, type Growth, type SizePoint } from './growth.ts'
import type { CacheForecast } from './model.ts'

const dayMs = 86_400_000
/** Longer forecasts would be fortune-telling. */
const daysMax = 3650
/** With less than this share left the cache counts as full: the proxy starts to evict files. */
const fullShare = 0.005

/** Space left in the cache: both its own limit and its disk count. Null when unknown. */
export function spaceLeftOf(
  cache: CacheInfo,
): Pick<CacheForecast, 'roomBytes' | 'usedBytes' | 'totalBytes'> | null {
  const totalBytes = cache.totalCacheSize
  if (cache.driveState !== 'ok' || totalBytes <= 0) return null
  const isLimited = cache.configuredCacheSize > 0
  // As the index knows it now: the last scan may be a day old.
  const indexed = Object.values(cache.serviceSizes).reduce((sum, bytes) => sum + bytes, 0)
  const used = isLimited && cache.hasCacheScan ? indexed : cache.usedCacheSize
  const roomBytes = Math.min(Math.max(0, totalBytes - used), cache.freeCacheSize)
  return { roomBytes, usedBytes: Math.min(used, totalBytes), totalBytes }
}

const at = (seconds: number | undefined) =>
  seconds === undefined ? null : new Date(seconds * 1000).toISOString()

function basisOf(points: SizePoint[]): CacheForecast['basis'] {
  const [first, last] = [points[0]?.at, points.at(-1)?.at]
  const days = ((last ?? 0) - (first ?? 0)) / 86_400
  const rounded = Math.round(days * 100) / 100
  return { snapshots: points.length, from: at(first), to: at(last), days: rounded }
}

type Days = Pick<CacheForecast, 'daysUntilFull' | 'fullAt' | 'reason'>
const noDays = (reason: CacheForecast['reason']): Days => ({
  daysUntilFull: null,
  fullAt: null,
  reason,
})

type SpaceLeft = NonNullable<ReturnType<typeof spaceLeftOf>>

function daysOf(growth: Growth | null, { roomBytes, totalBytes }: SpaceLeft, now: Date): Days {
  if (roomBytes < totalBytes * fullShare)
    return { daysUntilFull: 0, fullAt: now.toISOString(), reason: null }
  if (growth === null) return noDays('tooLittleHistory')
  if (growth.bytesPerDay <= 0) return noDays('notGrowing')
  const days = roomBytes / growth.bytesPerDay
  if (days > daysMax) return noDays('beyondForecast')
  const fullAt = new Date(now.getTime() + days * dayMs).toISOString()
  return { daysUntilFull: Math.round(days * 100) / 100, fullAt, reason: null }
}

/** When the cache will be full at the growth of measured sizes. */
export function forecastOf(points: SizePoint[], cache: CacheInfo, now: Date): CacheForecast {
  const growth = growthOf(points)
  const left = spaceLeftOf(cache)
  return {
    growthBytesPerDay: growth === null ? null : Math.round(growth.bytesPerDay),
    ...(left === null ? noDays('diskUnknown') : daysOf(growth, left, now)),
    ...(left ?? { roomBytes: 0, usedBytes: 0, totalBytes: 0 }),
    basis: basisOf(growth?.points ?? points),
  }
}
