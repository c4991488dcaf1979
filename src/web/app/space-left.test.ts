import { describe, expect, test } from 'bun:test'
import type { Batch, CacheInfo } from '../api/queries.ts'
import { spaceLeft } from './space-left.ts'

// The fixtures have the members that the forecast reads.
const space = { roomBytes: 600, usedBytes: 1400, totalBytes: 2000, isFull: false }
const cache = { space } as CacheInfo
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
} as NonNullable<Batch['dashboard']>
const day = 86_400

const forecast = (growthBytesPerDay: number | null, days = 12) => ({
  growthBytesPerDay,
  daysUntilFull: null,
  fullAt: null,
  reason: null,
  roomBytes: 600,
  usedBytes: 1400,
  totalBytes: 2000,
  basis: { snapshots: 20, from: null, to: null, days },
})

describe('time left', () => {
  test('uses measured growth', () => {
    expect(spaceLeft({ cache, dashboard }, day, forecast(120))).toEqual({
      kind: 'days',
      days: 5,
      pace: { kind: 'measured', perDay: 120, days: 12 },
      used: 1400,
      total: 2000,
    })
  })

  test('uses fetched bytes while measurements are too few or the history is away', () => {
    for (const unknown of [null, forecast(null)]) {
      expect(spaceLeft({ cache, dashboard }, day, unknown)).toMatchObject({
        kind: 'days',
        days: 10,
        pace: { kind: 'estimated', perDay: 60 },
      })
    }
  })

  test('has no number where no forecast is possible', () => {
    const pace = { kind: 'still', perDay: -5, days: 12 }
    expect(spaceLeft({ cache, dashboard }, day, forecast(-5))).toMatchObject({
      kind: 'space',
      pace,
    })
    expect(spaceLeft({ cache, dashboard }, 600, null)).toMatchObject({ kind: 'space', pace: null })
    expect(spaceLeft({ cache, dashboard }, day, forecast(0.01)).kind).toBe('space')
    expect(spaceLeft({}, day, null)).toEqual({ kind: 'unknown' })
    const full = { space: { ...space, isFull: true } } as CacheInfo
    expect(spaceLeft({ cache: full }, day, forecast(1)).kind).toBe('full')
  })
})
