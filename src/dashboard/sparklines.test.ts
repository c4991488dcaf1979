import { describe, expect, test } from 'bun:test'
import { pointsMax, sparklinesOf, trendOf } from './sparklines.ts'
import { peakMinutesOf } from './store.ts'

const period = { start: null, end: null }
const point = (at: number, hitBytes: number, missBytes = 0) => ({
  at,
  hitBytes,
  missBytes,
  peakHitBytes: hitBytes,
  peakMissBytes: missBytes,
})

describe('lines', () => {
  test('gaps are zero and a ratio is between 0 and 1', () => {
    const points = [point(0, 3, 1), point(1800, 1)]
    const lines = sparklinesOf(points, { period, now: 9000, bucketMinutes: 15 })
    expect(lines.bucketStarts).toEqual([0, 900, 1800])
    expect(lines.totalServed.data).toEqual([4, 0, 1])
    expect(lines.bandwidthSaved.data).toEqual([3, 0, 1])
    expect(lines.addedToCache.data).toEqual([1, 0, 0])
    expect(lines.cacheHitRatio.data).toEqual([0.75, 0, 1])
    expect(lines.period).toBe('all')
  })

  test('the bucket that still grows is there, and has no say in the trend', () => {
    const points = [point(0, 10), point(300, 20), point(600, 1)]
    const lines = sparklinesOf(points, { period, now: 610 })
    expect(lines.bucketStarts).toEqual([0, 300, 600])
    expect(lines.totalServed).toEqual({ data: [10, 20, 1], trend: 'up' })
    expect(sparklinesOf(points, { period, now: 900 }).totalServed.trend).toBe('down')
    const closed = { start: 0, end: 700 }
    expect(sparklinesOf(points, { period: closed, now: 610 }).period).toBe('filtered')
  })

  test('no more than the maximum, the newest', () => {
    const points = [point(0, 5), point(300 * 4000, 7)]
    const lines = sparklinesOf(points, { period, now: 9e9 })
    expect(lines.bucketStarts).toHaveLength(pointsMax)
    expect(lines.bandwidthSaved.data.at(-1)).toBe(7)
  })

  test('no traffic', () => {
    const lines = sparklinesOf([], { period, now: 5 })
    expect(lines.bucketStarts).toEqual([])
    expect(lines.totalServed).toEqual({ data: [], trend: 'stable' })
  })
})

describe('trend', () => {
  test.each([
    [[], false, 'stable'],
    [[5], false, 'stable'],
    [[100, 105], false, 'stable'],
    [[100, 106], false, 'up'],
    [[100, 1, 94], false, 'down'],
    [[9, 9, 1, 1], false, 'down'],
    [[0, 0, 0, 5, 5, 5], false, 'up'],
    [[100, 1, 1, 1, 1, 1, 1], false, 'stable'],
    [[0.5, 0.519], true, 'stable'],
    [[0.5, 0.521], true, 'up'],
    [[0.5, 0.47], true, 'down'],
  ] as const)('%j (ratio: %p) is %s', (values, isRatio, expected) => {
    expect(trendOf([...values], isRatio)).toBe(expected)
  })

  test('buckets without traffic at the end do not pull it down', () => {
    const points = [point(0, 10), point(300, 20), point(600, 0)]
    expect(sparklinesOf(points, { period, now: 99_999 }).totalServed.trend).toBe('up')
  })
})

test('windows of long lines without some clients are hours, because their rows are', () => {
  const scope = { period, eventId: null, includePrefill: false, without: [] }
  const some = { ...scope, without: ['10.0.0.1'] }
  expect([30, 60, 360, 720].map((minutes) => peakMinutesOf(minutes, scope))).toEqual([
    5, 15, 15, 60,
  ])
  expect([30, 60, 360, 720].map((minutes) => peakMinutesOf(minutes, some))).toEqual([5, 60, 60, 60])
})
