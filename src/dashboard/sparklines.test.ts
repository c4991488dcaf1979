import { describe, expect, test } from 'bun:test'
import { bucketMinutesFor, grainFor, pointsMax, sparklinesOf, trendOf } from './sparklines.ts'

const period = { start: null, end: null }
const point = (at: number, hitBytes: number, missBytes = 0) => ({ at, hitBytes, missBytes })

describe('lines', () => {
  test.each([
    [0, 15, 'five'],
    [2, 15, 'five'],
    [2.1, 30, 'five'],
    [13, 30, 'five'],
    [25, 60, 'hour'],
    [240, 180, 'hour'],
    [241, 1440, 'day'],
  ])('%d hours of data have buckets of %d minutes from %s rows', (hours, minutes, grain) => {
    expect(bucketMinutesFor(hours)).toBe(minutes)
    expect(grainFor(minutes)).toBe(grain as ReturnType<typeof grainFor>)
  })

  test('gaps are zero and a ratio is between 0 and 1', () => {
    const lines = sparklinesOf([point(0, 3, 1), point(1800, 1)], { period, now: 9000 })
    expect(lines.bucketStarts).toEqual([0, 900, 1800])
    expect(lines.totalServed.data).toEqual([4, 0, 1])
    expect(lines.bandwidthSaved.data).toEqual([3, 0, 1])
    expect(lines.addedToCache.data).toEqual([1, 0, 0])
    expect(lines.cacheHitRatio.data).toEqual([0.75, 0, 1])
    expect(lines.period).toBe('all')
  })

  test('the incomplete bucket is left out unless it is the only one', () => {
    const now = 2000
    expect(sparklinesOf([point(900, 1), point(1800, 1)], { period, now }).bucketStarts).toEqual([
      900,
    ])
    expect(sparklinesOf([point(1800, 1)], { period, now }).bucketStarts).toEqual([1800])
    const closed = { start: 0, end: 2699 }
    const whole = sparklinesOf([point(900, 1), point(1800, 1)], { period: closed, now: 9999 })
    expect(whole.bucketStarts).toEqual([900, 1800])
    expect(whole.period).toBe('filtered')
  })

  test('at most the maximum, keeping the newest', () => {
    const lines = sparklinesOf([point(0, 5), point(900 * 4000, 7)], { period, now: 9e9 })
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

  test('trailing buckets without traffic do not lower it', () => {
    const points = [point(0, 10), point(900, 20), point(1800, 0)]
    expect(sparklinesOf(points, { period, now: 99_999 }).totalServed.trend).toBe('up')
  })
})
