import { statfs } from 'node:fs/promises'
import { percent } from '../reports/numbers.ts'
import type { CacheInfo } from './model.ts'

export const emptyCacheInfo: CacheInfo = {
  totalCacheSize: 0,
  configuredCacheSize: 0,
  driveCapacity: 0,
  usedCacheSize: 0,
  freeCacheSize: 0,
  usagePercent: 0,
  totalFiles: 0,
  serviceSizes: {},
  hasCacheScan: false,
  cacheScanTimestampUtc: null,
  cacheScanTotalBytes: 0,
  scanStale: false,
}

/**
 * What the file system says about the drive that holds the cache, now. Used is everything that is
 * not free to others, whoever wrote it.
 */
export async function cacheInfo(cachePath: string | undefined): Promise<CacheInfo> {
  if (cachePath === undefined) return emptyCacheInfo
  const { blocks, bavail, bsize } = await statfs(cachePath)
  const driveCapacity = blocks * bsize
  const freeCacheSize = bavail * bsize
  const usedCacheSize = driveCapacity - freeCacheSize
  return {
    ...emptyCacheInfo,
    totalCacheSize: driveCapacity,
    driveCapacity,
    usedCacheSize,
    freeCacheSize,
    usagePercent: percent(usedCacheSize, driveCapacity),
  }
}
