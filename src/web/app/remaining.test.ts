import { expect, test } from 'bun:test'
import { isForever, remainingSeconds, shortRemaining } from './remaining.ts'

const now = new Date('2026-11-21T12:00:00Z')

test('remaining seconds are never negative', () => {
  expect(remainingSeconds('2026-11-21T13:00:00Z', now)).toBe(3600)
  expect(remainingSeconds('2026-11-21T12:00:00.200Z', now)).toBe(1)
  expect(remainingSeconds('2026-11-21T12:00:00Z', now)).toBe(0)
  expect(remainingSeconds('2026-11-21T11:00:00Z', now)).toBe(0)
  expect(remainingSeconds('soon', now)).toBe(0)
})

test('sessions of account holders do not end', () => {
  expect(isForever('2099-12-31T00:00:00.000Z')).toBe(true)
  expect(isForever('2026-11-22T00:00:00.000Z')).toBe(false)
})

test('a single unit for narrow places', () => {
  expect(shortRemaining(5 * 3600 + 59 * 60)).toBe(shortRemaining(5 * 3600))
  expect(shortRemaining(3599)).toContain('59')
})
