import { describe, expect, test } from 'bun:test'
import { durationOf, foldServices } from './service.ts'

describe('names of periods', () => {
  test.each([
    [null, null, 'all'],
    [0, 3600, '1h'],
    [0, 60, '1h'],
    [0, 86_400, '24h'],
    [0, 7 * 86_400, '7d'],
    [1_767_225_600, null, 'since 2026-01-01'],
    [null, 1_767_225_600, 'until 2026-01-01'],
  ])('%p to %p is %s', (start, end, expected) => {
    expect(durationOf({ start, end })).toBe(expected)
  })
})

test('names of one service become one row, most bytes first', () => {
  const row = (name: string, hitBytes: number, firstAt: number, lastAt: number) => ({
    name,
    hitBytes,
    missBytes: 1,
    requests: 2,
    downloads: 3,
    firstAt,
    lastAt,
  })
  const folded = foldServices([
    row('steam', 50, 1, 2),
    row('xboxlive', 30, 5, 6),
    row('microsoft', 30, 4, 9),
    row('wsus', 10, 1, 2),
  ])
  expect(folded).toEqual([
    { ...row('xbox', 60, 4, 9), missBytes: 2, requests: 4, downloads: 6 },
    row('steam', 50, 1, 2),
    row('wsus', 10, 1, 2),
  ])
})
