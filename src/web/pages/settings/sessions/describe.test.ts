import { describe, expect, test } from 'bun:test'
import type { SessionDto } from '../../../api/access-queries.ts'
import { deviceOf, filterSessions, grantsOf, presenceOf } from './describe.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0'
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'
const now = new Date('2026-11-21T12:00:00Z')

const session = (part: Partial<SessionDto>): SessionDto => ({
  id: crypto.randomUUID(),
  sessionType: 'guest',
  username: null,
  ipAddress: '10.0.0.9',
  userAgent: firefox,
  createdAt: '2026-11-21T10:00:00Z',
  lastSeenAt: '2026-11-21T11:59:00Z',
  expiresAt: '2026-11-21T16:00:00Z',
  isRevoked: false,
  isCurrentSession: false,
  isExpired: false,
  revokedAt: null,
  prefillEnabled: false,
  alphaPrefillEnabled: false,
  alphaPrefillExpiresAt: null,
  betaPrefillEnabled: false,
  betaPrefillExpiresAt: null,
  gammaPrefillEnabled: false,
  gammaPrefillExpiresAt: null,
  deltaPrefillEnabled: false,
  deltaPrefillExpiresAt: null,
  epsilonPrefillEnabled: false,
  epsilonPrefillExpiresAt: null,
  publicIpAddress: null,
  countryCode: null,
  countryName: null,
  regionName: null,
  city: null,
  timezone: 'Europe/Berlin',
  ispName: null,
  screenResolution: null,
  browserLanguage: null,
  ...part,
})

describe('devices', () => {
  test('browser and system names', () => {
    expect(deviceOf(firefox)).toEqual({ browser: 'Firefox 133', system: 'Linux', kind: 'desktop' })
    expect(deviceOf(iphone)).toMatchObject({ browser: 'Safari 18', kind: 'mobile' })
  })

  test('missing and invalid user agents do not fail', () => {
    expect(deviceOf('')).toEqual({ browser: '', system: '', kind: 'other' })
    expect(deviceOf('curl/8.5.0').kind).toBe('other')
    expect(deviceOf(`x${'('.repeat(5000)}`).system).toBe('')
  })
})

test('presence is derived from the last request', () => {
  expect(presenceOf('2026-11-21T11:58:00Z', now)).toBe('here')
  expect(presenceOf('2026-11-21T11:50:00Z', now)).toBe('away')
  expect(presenceOf('2026-11-20T11:50:00Z', now)).toBe('idle')
})

test('filters by kind and by every word', () => {
  const list = [
    session({ ipAddress: '10.0.0.1', sessionType: 'admin' }),
    session({ ipAddress: '10.0.0.2', userAgent: iphone }),
  ]
  const found = (filter: Parameters<typeof filterSessions>[1]) =>
    filterSessions(list, filter).map(({ ipAddress }) => ipAddress)
  expect(found({ type: 'guest', search: '' })).toEqual(['10.0.0.2'])
  expect(found({ type: undefined, search: 'BERLIN safari' })).toEqual(['10.0.0.2'])
  expect(found({ type: 'admin', search: 'safari' })).toEqual([])
})

test('grants with their remaining time', () => {
  const guest = session({
    alphaPrefillEnabled: true,
    alphaPrefillExpiresAt: '2026-11-21T12:30:00Z',
    betaPrefillEnabled: true,
    betaPrefillExpiresAt: '2026-11-21T11:30:00Z',
  })
  expect(grantsOf(guest, now).slice(0, 3)).toEqual([
    { platform: 'alpha', isGranted: true, secondsLeft: 1800 },
    { platform: 'beta', isGranted: false, secondsLeft: null },
    { platform: 'gamma', isGranted: false, secondsLeft: null },
  ])
  const holder = session({ sessionType: 'admin', alphaPrefillEnabled: true })
  expect(grantsOf(holder, now)[0]).toEqual({
    platform: 'alpha',
    isGranted: true,
    secondsLeft: null,
  })
})
