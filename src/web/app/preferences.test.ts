import { describe, expect, test } from 'bun:test'
import {
  allowedFormats,
  clockFlagsOf,
  clockOf,
  effectiveRate,
  readRate,
  timeFormatOf,
  timeFormats,
} from './preferences.ts'
import { firstClock, foreignZone } from './zone.ts'

describe('clock', () => {
  test('every format survives the round trip through the three flags', () => {
    for (const format of timeFormats) expect(timeFormatOf(clockFlagsOf(format))).toBe(format)
  })

  test('UTC takes precedence over local time', () => {
    const flags = { useUtcTimezone: true, useLocalTimezone: true, use24HourFormat: false }
    expect(timeFormatOf(flags)).toBe('utc')
    expect(clockOf(flags, 'Europe/Berlin')).toEqual({ timeZone: 'UTC', hourCycle: 'h23' })
  })

  test("the server's zone, unless it is unknown", () => {
    const flags = clockFlagsOf('server-12h')
    expect(clockOf(flags, 'Europe/Berlin')).toEqual({ timeZone: 'Europe/Berlin', hourCycle: 'h12' })
    expect(clockOf(flags, 'Nowhere/Town')).toEqual({ hourCycle: 'h12' })
    expect(clockOf(flags, null)).toEqual({ hourCycle: 'h12' })
    expect(clockOf(clockFlagsOf('local-24h'), 'Europe/Berlin')).toEqual({ hourCycle: 'h23' })
  })
})

describe("a new session's clock", () => {
  const unchosen = clockFlagsOf('server-24h')

  test("is the browser's zone, or the last one chosen in this browser", () => {
    expect(firstClock(unchosen, null)).toEqual(clockFlagsOf('local-24h'))
    expect(firstClock(unchosen, 'utc')).toEqual(clockFlagsOf('utc'))
    expect(firstClock(unchosen, 'server-24h')).toBeNull()
    expect(firstClock(clockFlagsOf('local-12h'), null)).toBeNull()
  })

  test("a zone is named only when its times are not the server's", () => {
    expect(foreignZone(clockFlagsOf('utc'), 'Europe/Berlin')).toBe('UTC')
    expect(foreignZone(clockFlagsOf('utc'), 'Etc/UTC')).toBeNull()
    expect(foreignZone(clockFlagsOf('utc'), 'Europe/London')).toBe('UTC')
    expect(foreignZone(unchosen, 'Europe/Berlin')).toBeNull()
    expect(foreignZone(clockFlagsOf('utc'), null)).toBeNull()
  })
})

describe('refresh rate', () => {
  const guest = { refreshRate: 'RELAXED', locked: true }

  test('own rate before the default, case-insensitive, unknown is none', () => {
    expect(readRate('slow')).toBe('SLOW')
    expect(readRate('FAST')).toBeNull()
    const preferences = { refreshRate: 'ULTRA', refreshRateLocked: null }
    const parts = { preferences, isGuest: false, system: 'SLOW', guest }
    expect(effectiveRate(parts)).toEqual({ rate: 'ULTRA', isLocked: false })
    expect(effectiveRate({ ...parts, preferences: null })).toMatchObject({ rate: 'SLOW' })
    expect(effectiveRate({ ...parts, preferences: null, system: null })).toMatchObject({
      rate: 'STANDARD',
    })
  })

  test("a lock applies to guests only, and a guest's own exception overrides the rule", () => {
    const none = { refreshRate: null, refreshRateLocked: null }
    const parts = { preferences: none, isGuest: true, system: 'SLOW', guest }
    expect(effectiveRate(parts)).toEqual({ rate: 'RELAXED', isLocked: true })
    const free = { ...none, refreshRateLocked: false }
    expect(effectiveRate({ ...parts, preferences: free }).isLocked).toBe(false)
    const held = { ...none, refreshRateLocked: true }
    expect(effectiveRate({ ...parts, guest: null, preferences: held }).isLocked).toBe(true)
    expect(effectiveRate({ ...parts, isGuest: false, preferences: held }).isLocked).toBe(false)
  })
})

test('formats available to a session', () => {
  expect(allowedFormats(null, ['utc'], false)).toEqual(timeFormats)
  expect(allowedFormats(null, ['utc'], true)).toEqual(['utc'])
  expect(allowedFormats(['local-12h'], ['utc'], true)).toEqual(['local-12h'])
  expect(allowedFormats(['sundial'], null, true)).toEqual(timeFormats)
})
