import { expect, test } from 'bun:test'
import { nextRow } from './row-keys.ts'

test('keys move between rows and stop at the ends', () => {
  expect(nextRow('ArrowDown', 3, 5)).toBe(4)
  expect(nextRow('ArrowDown', 4, 5)).toBe(4)
  expect(nextRow('ArrowUp', 0, 5)).toBe(0)
  expect(nextRow('PageDown', 0, 50)).toBe(10)
  expect(nextRow('PageUp', 3, 50)).toBe(0)
  expect(nextRow('Home', 30, 50)).toBe(0)
  expect(nextRow('End', 3, 50)).toBe(49)
  expect(nextRow('a', 3, 50)).toBeNull()
  expect(nextRow('ArrowDown', 0, 0)).toBeNull()
})
