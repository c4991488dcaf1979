import { describe, expect, test } from 'bun:test'
import type { CacheInfo } from '../info/model.ts'
import { spaceLeftOf } from '../info/space-left.ts'
import { forecastOf } from './forecast.ts'
import { growthOf, type SizePoint } from './growth.ts'

const gib = 1024 ** 3
const hour = 3600
const start = 1_790_000_000

/** One point an hour with constant daily growth, optionally modified. */
const series = (hours: number, perDay: number, change = (bytes: number, _hour: number) => bytes) =>
  Array.from({ length: hours + 1 }, (_, index): SizePoint => ({
    at: start + index * hour,
    usedBytes: Math.round(change(100 * gib + (index * perDay) / 24, index)),
  }))

const cache: Omit<CacheInfo, 'space'> = {
  totalCacheSize: 500 * gib,
  configuredCacheSize: 0,
  driveCapacity: 500 * gib,
  usedCacheSize: 400 * gib,
  freeCacheSize: 100 * gib,
  usagePercent: 80,
  totalFiles: 0,
  serviceSizes: {},
  hasCacheScan: false,
  cacheScanTimestampUtc: null,
  cacheScanTotalBytes: 0,
  scanStale: false,
  driveState: 'ok',
}
const now = new Date('2026-11-21T12:00:00Z')
const near = (bytes: number | undefined, expected: number) =>
  expect(Math.abs((bytes ?? 0) - expected)).toBeLessThan(Math.abs(expected) * 0.02 + 1)

describe('growth', () => {
  test('of a straight line is its slope', () =>
    near(growthOf(series(48, 7 * gib))?.bytesPerDay, 7 * gib))

  test('of a month is the same, though points are merged', () => {
    const growth = growthOf(series(720, 3 * gib))
    near(growth?.bytesPerDay, 3 * gib)
    expect(growth?.points).toHaveLength(721)
  })

  test('is not affected by a fifth of outliers', () => {
    const wild = series(240, 2 * gib, (bytes, at) => (at % 5 === 2 ? bytes + 9 * gib : bytes))
    const { bytesPerDay = 0 } = growthOf(wild) ?? {}
    expect(Math.abs(bytesPerDay - 2 * gib)).toBeLessThan(0.1 * gib)
  })

  test('counts from the last clean-up', () => {
    const cleaned = series(240, 4 * gib, (bytes, at) => (at >= 120 ? bytes - 60 * gib : bytes))
    const growth = growthOf(cleaned)
    near(growth?.bytesPerDay, 4 * gib)
    expect(growth?.points).toHaveLength(121)
  })

  test('is unknown with less than a day, a handful of points, or right after a clean-up', () => {
    expect(growthOf([])).toBeNull()
    expect(growthOf(series(23, gib))).toBeNull()
    expect(growthOf(series(240, gib).filter((_, index) => index % 60 === 0))).toBeNull()
    const cleaned = series(240, gib, (bytes, at) => (at >= 235 ? bytes - 60 * gib : bytes))
    expect(growthOf(cleaned)).toBeNull()
  })

  test('may be negative or zero', () => {
    near(growthOf(series(48, -gib))?.bytesPerDay, -gib)
    expect(growthOf(series(48, 0))?.bytesPerDay).toBe(0)
  })
})

describe('space left', () => {
  test('ends at the limit or at the disk, whichever is smaller', () => {
    expect(spaceLeftOf(cache)?.roomBytes).toBe(100 * gib)
    const limited = { ...cache, totalCacheSize: 420 * gib, configuredCacheSize: 420 * gib }
    expect(spaceLeftOf(limited)?.roomBytes).toBe(20 * gib)
    const scanned = { ...limited, hasCacheScan: true, serviceSizes: { steam: 350 * gib } }
    expect(spaceLeftOf(scanned)).toMatchObject({ roomBytes: 70 * gib, usedBytes: 350 * gib })
    expect(spaceLeftOf({ ...scanned, freeCacheSize: gib })?.roomBytes).toBe(gib)
    expect(spaceLeftOf({ ...cache, driveState: 'vanished' })).toBeNull()
  })
})

describe('the forecast', () => {
  test('has a date and its basis', () => {
    const points = series(240, 10 * gib)
    const forecast = forecastOf(points, { space: spaceLeftOf(cache) }, now)
    expect(forecast.daysUntilFull).toBeCloseTo(10, 1)
    expect(forecast.fullAt?.slice(0, 10)).toBe('2026-12-01')
    expect(forecast.basis).toEqual({
      snapshots: 241,
      from: new Date(start * 1000).toISOString(),
      to: new Date((start + 240 * hour) * 1000).toISOString(),
      days: 10,
    })
  })

  test.each([
    ['tooLittleHistory', series(3, gib), cache],
    ['notGrowing', series(48, -gib), cache],
    ['beyondForecast', series(48, 1000), cache],
    ['diskUnknown', series(48, gib), { ...cache, driveState: 'unresponsive' }],
  ] as const)('gives the reason when there is none: %s', (reason, points, info) => {
    expect(forecastOf(points, { space: spaceLeftOf(info) }, now)).toMatchObject({
      reason,
      daysUntilFull: null,
      fullAt: null,
    })
  })

  test('a full cache is full today, whatever its history', () => {
    const full = { ...cache, usedCacheSize: 499 * gib, freeCacheSize: gib }
    expect(forecastOf([], { space: spaceLeftOf(full) }, now)).toMatchObject({
      daysUntilFull: 0,
      reason: null,
    })
  })
})
