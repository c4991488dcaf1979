import { expect, test } from 'bun:test'
import { BackOff } from './back-off.ts'

test('delays double up to the last one, and start again after a reset', () => {
  const backOff = new BackOff(500, 3000)
  const delays = Array.from({ length: 5 }, () => backOff.next())
  expect(delays).toEqual([500, 1000, 2000, 3000, 3000])
  backOff.reset()
  expect(backOff.next()).toBe(500)
})
