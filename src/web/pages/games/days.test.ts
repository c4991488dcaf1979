import { expect, test } from 'bun:test'
import { bytesPerDay, daysMax } from './days.ts'

const row = (day: number, cacheHitBytes: number, cacheMissBytes = 0) => ({
  startTimeUtc: new Date(2026, 4, day, 12).toISOString(),
  cacheHitBytes,
  cacheMissBytes,
})

test('sums up each day and keeps the quiet ones between', () => {
  const days = bytesPerDay([row(5, 3, 1), row(2, 10), row(5, 4)])
  expect(days.map(({ at }) => new Date(at).getDate())).toEqual([2, 3, 4, 5])
  expect(days.map(({ cached, fetched }) => [cached, fetched])).toEqual([
    [10, 0],
    [0, 0],
    [0, 0],
    [7, 1],
  ])
})

test('keeps the newest days of a long time', () => {
  const days = bytesPerDay([row(1, 1), row(400, 2)])
  expect(days).toHaveLength(daysMax)
  expect(days.at(-1)?.cached).toBe(2)
  expect(bytesPerDay([])).toEqual([])
})
