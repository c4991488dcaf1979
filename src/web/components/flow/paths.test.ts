import { expect, test } from 'bun:test'
import { areaPath, linePath, nameWidths, nearest, runsOf } from './paths.ts'

test('a missing value breaks the line', () => {
  const runs = runsOf([[0, 1], [1, 2], null, [3, 4]])
  expect(runs).toEqual([
    [
      [0, 1],
      [1, 2],
    ],
    [[3, 4]],
  ])
  expect(linePath(runs)).toBe('M0,1L1,2M3,4')
  expect(areaPath(runs, 9)).toBe('M0,9L0,1L1,2L1,9ZM3,9L3,4L3,9Z')
})

test('names of spans that overlap do not cover each other', () => {
  const widths = (...spans: [left: number, width: number][]) =>
    nameWidths(
      spans.map(([left, width]) => ({ left, width })),
      50,
    )
  expect(widths([0, 60], [100, 40], [200, 90])).toEqual([60, 0, 90])
  expect(widths([0, 300], [10, 200], [80, 100], [90, 90])).toEqual([74, 0, 100, 0])
})

test('a line without points draws nothing', () => {
  expect([linePath([[]]), areaPath([[]], 9)]).toEqual(['', ''])
})

test('the nearest value wins, also beyond the ends', () => {
  const values = [10, 20, 40]
  expect([-5, 14, 16, 31, 99].map((at) => nearest(values, at))).toEqual([0, 0, 1, 2, 2])
  expect(nearest([], 1)).toBeNull()
})
