import type { CacheInfo, SpaceLeft } from './model.ts'

/** With less than this share left the cache counts as full: the proxy starts to evict files. */
const fullShare = 0.005

/** Space left in the cache: both its own limit and its disk count. Null when unknown. */
export function spaceLeftOf(cache: Omit<CacheInfo, 'space'>): SpaceLeft | null {
  const totalBytes = cache.totalCacheSize
  if (cache.driveState !== 'ok' || totalBytes <= 0) return null
  const isLimited = cache.configuredCacheSize > 0
  // As the index knows it now: the last scan may be a day old.
  const indexed = Object.values(cache.serviceSizes).reduce((sum, bytes) => sum + bytes, 0)
  const used = isLimited && cache.hasCacheScan ? indexed : cache.usedCacheSize
  const roomBytes = Math.min(Math.max(0, totalBytes - used), cache.freeCacheSize)
  const isFull = roomBytes < totalBytes * fullShare
  return { roomBytes, usedBytes: Math.min(used, totalBytes), totalBytes, isFull }
}
