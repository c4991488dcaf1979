import { expect, test } from 'bun:test'
import { coarsestFor, suitableMinutes } from './series.ts'

test.each([
  [1, 1, 'five'],
  [6, 5, 'five'],
  [12, 5, 'five'],
  [24, 10, 'five'],
  [48, 20, 'five'],
  [7 * 24, 120, 'hour'],
  [30 * 24, 360, 'hour'],
  [90 * 24, 1440, 'day'],
  [365 * 24, 4320, 'day'],
  [2 * 365 * 24, 10_080, 'day'],
])('%d hours are a line of buckets of %d minutes from %s rows', (hours, minutes, grain) => {
  expect(suitableMinutes(hours * 3600, 1)).toBe(minutes)
  expect(coarsestFor(minutes)).toBe(grain as ReturnType<typeof coarsestFor>)
})

test('a line has 60 to 150 points, from an hour to two years', () => {
  for (let hours = 1; hours <= 2 * 365 * 24; hours++) {
    const points = (hours * 60) / suitableMinutes(hours * 3600, 1)
    expect(points).toBeGreaterThanOrEqual(60)
    expect(points).toBeLessThanOrEqual(150)
  }
  expect(suitableMinutes(3600)).toBe(5)
})
