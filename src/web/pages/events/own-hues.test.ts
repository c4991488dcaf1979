import { expect, test } from 'bun:test'
import { withOwnHues } from './own-hues.ts'

const huesOf = (given: readonly number[]) =>
  withOwnHues(given.map((colorIndex) => ({ colorIndex }))).map(({ colorIndex }) => colorIndex)

test('compared events of one colour are drawn in different ones; the first keeps it', () => {
  expect(huesOf([3, 3])).toEqual([3, 1])
  expect(huesOf([1, 1, 2, 1])).toEqual([1, 3, 2, 4])
  expect(huesOf([5, 6])).toEqual([5, 6])
})
