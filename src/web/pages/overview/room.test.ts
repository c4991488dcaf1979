import { describe, expect, test } from 'bun:test'
import type { CacheInfo } from '../../api/wire.ts'
import { roomLeft, spaceOf } from './room.ts'

const cache: CacheInfo = {
  totalCacheSize: 2000,
  configuredCacheSize: 0,
  driveCapacity: 2000,
  usedCacheSize: 1400,
  freeCacheSize: 600,
  usagePercent: 70,
  hasCacheScan: false,
  cacheScanTotalBytes: 0,
}
const period = {
  duration: '24h',
  bandwidthSaved: 0,
  addedToCache: 60,
  totalServed: 0,
  hitRatio: 0,
  downloads: 0,
}
const dashboard = {
  totalBandwidthSaved: 0,
  totalAddedToCache: 0,
  totalServed: 0,
  activeDownloads: 0,
  uniqueClients: 0,
  period,
}
const day = 86_400

describe('space', () => {
  test('the limit of the cache and the disk both count', () => {
    const limited = { ...cache, totalCacheSize: 1000, configuredCacheSize: 1000 }
    expect(spaceOf({ ...limited, hasCacheScan: true, cacheScanTotalBytes: 300 })).toEqual({
      free: 600,
      used: 300,
      total: 1000,
    })
    expect(spaceOf({ ...limited, hasCacheScan: true, cacheScanTotalBytes: 900 })?.free).toBe(100)
    expect(spaceOf({ ...cache, totalCacheSize: 0 })).toBeNull()
  })
})

describe('room left', () => {
  test('by what was fetched when the size was not measured twice', () => {
    const room = roomLeft({ cache, dashboard }, day)
    expect(room).toEqual({ kind: 'days', days: 10, perDay: 60, used: 1400, total: 2000 })
  })

  test('by measured sizes', () => {
    const cacheSnapshot = {
      hasData: true,
      startUsedSize: 1280,
      endUsedSize: 1400,
      isEstimate: false,
    }
    expect(roomLeft({ cache, dashboard, cacheSnapshot }, day)).toMatchObject({ days: 5 })
    const shrunk = { ...cacheSnapshot, startUsedSize: 1500 }
    expect(roomLeft({ cache, dashboard, cacheSnapshot: shrunk }, day).kind).toBe('space')
  })

  test('does not foretell what nobody can know', () => {
    expect(roomLeft({ cache, dashboard }, 600).kind).toBe('space')
    const slow = { ...dashboard, period: { ...period, addedToCache: 0.01 } }
    expect(roomLeft({ cache, dashboard: slow }, day).kind).toBe('space')
    expect(roomLeft({}, day)).toEqual({ kind: 'unknown' })
    expect(roomLeft({ cache: { ...cache, freeCacheSize: 5 } }, day).kind).toBe('full')
  })
})
