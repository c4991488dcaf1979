import { expect, test } from 'bun:test'
import { flowSeries } from './flow-series.ts'

const sparklines = {
  bandwidthSaved: { data: [3600, 7200] },
  addedToCache: { data: [3600, 0] },
  bucketMinutes: 60,
  bucketStarts: [0, 3600],
}

test('bytes per bucket become a rate at its middle', () => {
  expect(flowSeries(sparklines, [])).toEqual([
    [1800, 5400],
    [1, 2],
    [2, 2],
  ])
})

test('the live tail follows as minute means, without what the buckets already hold', () => {
  const samples = [
    { at: 7000, cached: 99, fetched: 99 },
    { at: 7201, cached: 2, fetched: 2 },
    { at: 7202, cached: 4, fetched: 0 },
    { at: 7290, cached: 8, fetched: 0 },
  ]
  const [at, cached, total] = flowSeries(sparklines, samples)
  expect(at).toEqual([1800, 5400, 7230, 7290])
  expect(cached).toEqual([1, 2, 3, 8])
  expect(total).toEqual([2, 2, 4, 8])
})

test('nothing stored yet: only the tail', () => {
  const empty = {
    bandwidthSaved: { data: [] },
    addedToCache: { data: [] },
    bucketMinutes: 15,
    bucketStarts: [],
  }
  expect(flowSeries(empty, [{ at: 60, cached: 1, fetched: 1 }])[0]).toEqual([90])
})
