import { describe, expect, test } from 'bun:test'
import type { Sparklines } from '../../api/queries.ts'
import { flowSeries, openAfter, spanOf } from './flow-series.ts'

// The members that the chart reads.
const sparklines = {
  bandwidthSaved: { data: [3600, 7200] },
  addedToCache: { data: [3600, 0] },
  bucketMinutes: 60,
  bucketStarts: [0, 3600],
} as Sparklines

test('bytes per bucket become a rate at its middle', () => {
  expect(flowSeries(sparklines, [], 7300)).toEqual([
    [1800, 5400],
    [1, 2],
    [2, 2],
  ])
})

test('the running bucket has the rate of the time that has passed, unless that was seen live', () => {
  const running = { ...sparklines, bucketStarts: [3600, 7200] }
  const [at, cached] = flowSeries(running, [], 7200 + 1800)
  expect(at.at(-1)).toBe(8100)
  expect(cached.at(-1)).toBe(4)
  // A fifth of it is needed, or a burst of seconds would look like a peak.
  expect(flowSeries(running, [], 7200 + 700)[0]).toEqual([5400])
  // Both before and after the bucket's end, only what is of a whole one is drawn as such.
  expect(at.map((one) => one > openAfter(7200 + 1800, 3600))).toEqual([false, true])
  const over = flowSeries(running, [], 10_801)[0]
  expect(over.map((one) => one > openAfter(10_801, 3600))).toEqual([false, false])
  const seen = Array.from({ length: 1900 }, (_, second) => ({
    at: 7100 + second,
    cached: 6,
    fetched: 0,
  }))
  const live = flowSeries(running, seen, 9000)
  expect(live[0].slice(-2)).toEqual([7650, 8550])
  expect(Math.round(live[1].at(-1) ?? 0)).toBe(6)
})

test("a bucket's busiest window has its own rate, in the running bucket too", () => {
  const peaks = { minutes: 15, hitBytes: [3600, 1800], missBytes: [0, 900] }
  const busy = { ...sparklines, peaks }
  expect(flowSeries(busy, [], 7300, { point: 'peak' })).toEqual([
    [1800, 5400],
    [4, 2],
    [4, 3],
  ])
  expect(flowSeries(busy, [], 3600 + 720, { point: 'peak' })[2]).toEqual([4, 3.75])
})

describe('live tail', () => {
  const every = (from: number, to: number, cached: number) =>
    Array.from({ length: to - from }, (_, index) => ({ at: from + index, cached, fetched: 0 }))

  test('quarters of a bucket, after the existing buckets', () => {
    const [at, cached] = flowSeries(sparklines, every(7000, 9000, 8), 9000)
    expect(at).toEqual([1800, 5400, 7650, 8550])
    expect(cached.map((rate) => Math.round(rate ?? 0))).toEqual([1, 2, 8, 8])
  })

  test('silence counts as zero', () => {
    const [at, cached] = flowSeries(sparklines, every(7200, 7650, 8), 8100)
    expect(at.at(-1)).toBe(7650)
    expect(cached.at(-1)).toBeCloseTo(4, 1)
  })

  test('a single busy second does not become a peak', () => {
    expect(flowSeries(sparklines, every(7200, 7210, 900), 7210)[0]).toEqual([1800, 5400])
  })

  test('continues a history that ended long ago, and an empty one', () => {
    const day = 86_400
    const late = flowSeries(sparklines, every(day, day + 200, 8), day + 200)
    expect(late[0]).toEqual([1800, 5400, 9000, day + 200 - 3600, day + 200])
    expect(late[2].slice(2, 4)).toEqual([0, 0])
    const empty = {
      bandwidthSaved: { data: [] },
      addedToCache: { data: [] },
      bucketMinutes: 15,
      bucketStarts: [],
    } as unknown as Sparklines
    expect(flowSeries(empty, every(900, 1000, 8), 1000)[0]).toEqual([1000])
  })
})

test("a single bucket has silence on both sides, up to the range's ends", () => {
  const lonely = {
    bandwidthSaved: { data: [9000] },
    addedToCache: { data: [0] },
    bucketMinutes: 15,
    bucketStarts: [18_000],
  } as Sparklines
  expect(flowSeries(lonely, [], 86_400, { from: 0 })).toEqual([
    [0, 17_550, 18_450, 19_350, 86_400],
    [0, 0, 10, 0, 0],
    [0, 0, 10, 0, 0],
  ])
})

test('the axis spans the first to the last bucket, unless that is incomplete', () => {
  const series = flowSeries(sparklines, [], 10_000, { from: 3000 })
  expect(spanOf(series, { from: 3000, to: 10_000, bucketSeconds: 3600 })).toEqual({
    from: 1800,
    to: 7200,
  })
  expect(spanOf([[], [], []], { from: null, to: 50, bucketSeconds: 60 })).toEqual({
    from: 50,
    to: 50,
  })
})
