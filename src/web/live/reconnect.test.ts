import { expect, test } from 'bun:test'
import { reconnectDelayMs } from './reconnect.ts'

test('delays grow up to a minute, with a quarter of jitter', () => {
  const waits = [0, 1, 2, 3, 4].map((attempt) => reconnectDelayMs(attempt, 0.9))
  expect(waits).toEqual([0, 2000, 5000, 10_000, 30_000])
  expect(reconnectDelayMs(5, 0)).toBe(45_000)
  expect(reconnectDelayMs(5, 0.5)).toBe(60_000)
  expect(reconnectDelayMs(1000, 0.999999)).toBe(75_000)
})
