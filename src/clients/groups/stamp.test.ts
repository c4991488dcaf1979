import { describe, expect, test } from 'bun:test'
import { nextStamp, stampOf, stampText } from './stamp.ts'

const ms = Date.parse('2026-11-21T03:00:00.123Z')
const stamp = ms * 1000 + 456

describe('stamps', () => {
  test('are written with microseconds', () => {
    expect(stampText(stamp)).toBe('2026-11-21T03:00:00.123456Z')
    expect(stampText(Date.parse('2026-01-01T00:00:00Z') * 1000)).toBe('2026-01-01T00:00:00.000000Z')
  })

  test.each([
    ['2026-11-21T03:00:00.123456Z', stamp],
    ['2026-11-21T03:00:00.1234560Z', stamp],
    ['2026-11-21T04:30:00.123456+01:30', stamp],
    ['2026-11-20T22:00:00.123456-05:00', stamp],
    ['2026-11-21T03:00:00.123456', stamp],
    ['2026-11-21t03:00:00.123456z', stamp],
    ['2026-11-21T03:00:00.123Z', ms * 1000],
    ['2026-11-21T03:00Z', Date.parse('2026-11-21T03:00:00Z') * 1000],
  ])('%s is a timestamp', (text, expected) => {
    expect(stampOf(text)).toBe(expected)
    expect(stampOf(stampText(stamp))).toBe(stamp)
  })

  test('a finer text is a different timestamp', () => {
    expect(stampOf('2026-11-21T03:00:00.1234561Z')).not.toBe(stamp)
  })

  test.each(['', 'yesterday', '2026-13-01T00:00:00Z', '2026-11-21', '1763694000', 'null'])(
    '%p is not',
    (text) => {
      expect(stampOf(text)).toBeNull()
    },
  )

  test('the next one is never a repetition', () => {
    const now = new Date(ms)
    const first = nextStamp(now, 0)
    expect(first).toBe(ms * 1000)
    expect(nextStamp(now, first)).toBe(first + 1)
    expect(nextStamp(new Date(ms - 60_000), first)).toBe(first + 1)
  })
})
