import { beforeEach, describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { publishedBy } from '../../../test/support/published-by.ts'
import { Browser, signInAs, signInGuest, sessionIdOf } from '../../../test/support/sign-in.ts'
import { json } from '../../../test/support/answers.ts'

const app = await testApp()
const user = await signInAs(app, 'user')
const admin = await signInAs(app, 'admin')
const guest = await signInGuest(app)
const nobody = new Browser(app)
const seen = publishedBy(app.hub)
await Promise.all([user, admin, guest].map((browser) => browser.token()))

const keys = [
  'system.refreshRate',
  'guest.refreshRate',
  'guest.isRefreshRateLocked',
  'guest.preferences',
  'guest.prefill.alpha',
  'guest.prefill.beta',
  'prefill.defaults',
] as const

beforeEach(() => {
  for (const key of keys) app.settings.clear(key)
  seen.splice(0)
})

const at = (path: string) => `/api/system/${path}`
const read = async (path: string, browser = user) => (await json(await browser.get(at(path))))[1]
const stored = () => keys.map((key) => app.settings.get(key))

const freshPreferences = {
  useLocalTimezone: false,
  useUtcTimezone: false,
  use24HourFormat: true,
  sharpCorners: false,
  disableTooltips: false,
  showDatasourceLabels: true,
  allowedTimeFormats: ['server-24h', 'server-12h', 'local-24h', 'local-12h', 'utc'],
}
const freshPrefill = {
  operatingSystems: ['windows', 'linux', 'macos'],
  maxConcurrency: 'auto',
  serverThreadCount: 256,
  maxThreadLimit: null,
  betaDefaultPrefillMaxConcurrency: 'auto',
}

describe('reading', () => {
  test.each([
    ['refresh-rate', { message: null, refreshRate: 'STANDARD' }],
    ['default-guest-refresh-rate', { refreshRate: 'STANDARD', locked: true }],
    ['default-guest-preferences', freshPreferences],
    ['prefill-defaults', freshPrefill],
  ])('%s: every session the defaults', async (path, expected) => {
    for (const browser of [guest, user, admin]) {
      expect(await json(await browser.get(at(path)))).toEqual([200, expected])
    }
  })
})

const message = expect.any(String)
const utc = { useUtcTimezone: true, useLocalTimezone: false, use24HourFormat: true }
const server24 = { useUtcTimezone: false, useLocalTimezone: false, use24HourFormat: true }
const noClock = { ...server24, use24HourFormat: false }
const flagChanged = (key: string, value: boolean) => ({
  event: 'DefaultGuestPreferencesChanged',
  data: { key, value },
})
const clockChanged = (clock: object) => ({
  event: 'DefaultGuestPreferencesChanged',
  data: { key: 'clock', clock, previousClock: server24 },
})
const prefillChanged = (part: object) => ({
  event: 'PrefillDefaultsChanged',
  data: { ...freshPrefill, ...part },
})
const flag = 'default-guest-preferences/'
const formats = `${flag}allowed-time-formats`

test.each<[path: string, body: object, answer: object, event: object | null]>([
  ['refresh-rate', { refreshRate: 'live' }, { message, refreshRate: 'LIVE' }, null],
  [
    'default-guest-refresh-rate',
    { refreshRate: ' Slow' },
    { message, refreshRate: 'SLOW' },
    { event: 'DefaultGuestRefreshRateChanged', data: { refreshRate: 'SLOW' } },
  ],
  [
    'guest-refresh-rate-lock',
    { locked: false },
    { success: true, locked: false },
    { event: 'GuestRefreshRateLockChanged', data: { locked: false } },
  ],
  [
    `${flag}SharpCorners`,
    { value: true },
    { message, key: 'sharpCorners', value: true },
    flagChanged('sharpCorners', true),
  ],
  [
    `${flag}disableTooltips`,
    { value: true },
    { message, key: 'disableTooltips', value: true },
    flagChanged('disableTooltips', true),
  ],
  [
    `${flag}showDatasourceLabels`,
    { value: false },
    { message, key: 'showDatasourceLabels', value: false },
    flagChanged('showDatasourceLabels', false),
  ],
  [
    formats,
    { formats: ['utc', 'server-24h', 'utc'] },
    { message, formats: ['server-24h', 'utc'] },
    { event: 'AllowedTimeFormatsChanged', data: { formats: ['server-24h', 'utc'] } },
  ],
  [
    `${flag}clock`,
    { useUtcTimezone: true, useLocalTimezone: true, use24HourFormat: false },
    { message, clock: utc },
    clockChanged(utc),
  ],
  [`${flag}clock`, {}, { message, clock: noClock }, clockChanged(noClock)],
  [
    'prefill-defaults',
    { operatingSystems: ['macos', 'beos', 7, 'Linux', 'linux'], maxConcurrency: '256' },
    { ...freshPrefill, operatingSystems: ['linux', 'macos'], maxConcurrency: '256' },
    prefillChanged({ operatingSystems: ['linux', 'macos'], maxConcurrency: '256' }),
  ],
])('PATCH %s %j answers the stored value and publishes it', async (path, body, answer, event) => {
  for (const browser of [user, admin]) {
    for (const key of keys) app.settings.clear(key)
    seen.splice(0)
    expect(await json(await browser.patch(at(path), body))).toEqual([200, answer])
    expect(seen).toEqual(event === null ? [] : [event as (typeof seen)[number]])
  }
})

test('returns what was saved', async () => {
  await user.patch(at('refresh-rate'), { refreshRate: 'ULTRA' })
  await user.patch(at('default-guest-refresh-rate'), { refreshRate: 'RELAXED' })
  await user.patch(at('guest-refresh-rate-lock'), { locked: false })
  await user.patch(at(`${flag}sharpCorners`), { value: true })
  await user.patch(at(`${flag}clock`), utc)
  await user.patch(at(formats), { formats: ['utc'] })
  expect(await read('refresh-rate', nobody)).toEqual({ message: null, refreshRate: 'ULTRA' })
  expect(await read('default-guest-refresh-rate', nobody)).toEqual({
    refreshRate: 'RELAXED',
    locked: false,
  })
  expect(await read('default-guest-preferences')).toEqual({
    ...freshPreferences,
    ...utc,
    sharpCorners: true,
    allowedTimeFormats: ['utc'],
  })
})

describe('invalid input: 400 and nothing is stored', () => {
  test.each<[path: string, body: unknown]>([
    ['refresh-rate', {}],
    ['refresh-rate', { refreshRate: 'WARP' }],
    ['refresh-rate', { refreshRate: 5 }],
    ['refresh-rate', { refreshRate: null }],
    ['refresh-rate', 'LIVE'],
    ['default-guest-refresh-rate', {}],
    ['default-guest-refresh-rate', { refreshRate: '' }],
    ['guest-refresh-rate-lock', {}],
    ['guest-refresh-rate-lock', { locked: 'no' }],
    [`${flag}sharpCorners`, {}],
    [`${flag}sharpCorners`, { value: 'true' }],
    [`${flag}sharpCorner`, { value: true }],
    [`${flag}use24HourFormat`, { value: true }],
    [`${flag}__proto__`, { value: true }],
    [formats, {}],
    [formats, { formats: [] }],
    [formats, { formats: ['utc', 'sundial'] }],
    [formats, { formats: 'utc' }],
    [formats, { formats: Array.from({ length: 21 }, () => 'utc') }],
    [`${flag}clock`, { useUtcTimezone: 'yes' }],
    ['prefill-defaults', { maxConcurrency: 4 }],
    ['prefill-defaults', { operatingSystems: 'linux' }],
    ['prefill-defaults', ['linux']],
  ])('%s %j', async (path, body) => {
    const before = stored()
    expect((await user.patch(at(path), body)).status).toBe(400)
    expect(stored()).toEqual(before)
    expect(seen).toEqual([])
  })
})

describe('prefill defaults', () => {
  test.each([
    ['auto', 'auto'],
    ['default', 'auto'],
    ['MAX', 'max'],
    ['1', '1'],
    ['256', '256'],
    ['257', 'auto'],
    ['0', 'auto'],
    ['-3', 'auto'],
    ['1e2', 'auto'],
    ['', 'auto'],
  ])('a concurrency of %j is stored as %j', async (wanted, kept) => {
    const body = { maxConcurrency: wanted, betaDefaultPrefillMaxConcurrency: wanted }
    const expected = { maxConcurrency: kept, betaDefaultPrefillMaxConcurrency: kept }
    await user.patch(at('prefill-defaults'), { maxConcurrency: '9' })
    expect(await json(await user.patch(at('prefill-defaults'), body))).toEqual([
      200,
      { ...freshPrefill, ...expected },
    ])
    expect(await read('prefill-defaults')).toMatchObject(expected)
  })

  test('absent or null stays unchanged, and no known system means all', async () => {
    const change = async (body: object) =>
      (await json(await user.patch(at('prefill-defaults'), body)))[1]
    await change({ operatingSystems: ['linux'], maxConcurrency: '4' })
    const kept = { ...freshPrefill, operatingSystems: ['linux'], maxConcurrency: '4' }
    expect(await change({})).toEqual(kept)
    const none = { operatingSystems: null, maxConcurrency: null }
    expect(await change({ ...none, betaDefaultPrefillMaxConcurrency: 'max' })).toEqual({
      ...kept,
      betaDefaultPrefillMaxConcurrency: 'max',
    })
    expect(await change({ operatingSystems: ['plan9'] })).toMatchObject({
      operatingSystems: freshPrefill.operatingSystems,
      maxConcurrency: '4',
    })
  })

  test('a guest reads numbers capped by its own limits, else by those of all guests', async () => {
    const numbers = { maxConcurrency: '100', betaDefaultPrefillMaxConcurrency: '100' }
    await user.patch(at('prefill-defaults'), numbers)
    const timing = { enabledByDefault: false, durationHours: 2 }
    app.settings.set('guest.prefill.alpha', { ...timing, maxThreadCount: 16 })
    app.settings.set('guest.prefill.beta', { ...timing, maxThreadCount: 8 })
    expect(await read('prefill-defaults', guest)).toMatchObject({
      maxThreadLimit: 16,
      maxConcurrency: '16',
      betaDefaultPrefillMaxConcurrency: '8',
    })
    const own = await signInGuest(app)
    const sessionId = await sessionIdOf(own)
    const limits = { alphaMaxThreadCount: 4, betaMaxThreadCount: 200 }
    await user.put(`/api/user-preferences/session/${sessionId}`, limits)
    expect(await read('prefill-defaults', own)).toMatchObject({
      maxThreadLimit: 4,
      maxConcurrency: '4',
      betaDefaultPrefillMaxConcurrency: '100',
    })
    expect(await read('prefill-defaults')).toMatchObject({ ...numbers, maxThreadLimit: null })
    await user.patch(at('prefill-defaults'), { maxConcurrency: 'max' })
    expect(await read('prefill-defaults', own)).toMatchObject({ maxConcurrency: 'max' })
  })
})

describe('guests', () => {
  test('new ones start with the saved values, active ones keep theirs', async () => {
    await user.patch(at(`${flag}sharpCorners`), { value: true })
    await user.patch(at(`${flag}clock`), utc)
    const fresh = await signInGuest(app)
    const preferences = async (browser: Browser) =>
      (await browser.get('/api/user-preferences')).json()
    expect(await preferences(fresh)).toMatchObject({ ...utc, sharpCorners: true })
    expect(await preferences(guest)).toMatchObject({ ...server24, sharpCorners: false })
  })

  test('the lock decides whether a guest sets its own rate', async () => {
    const sessionId = await sessionIdOf(guest)
    const own = `/api/sessions/${sessionId}/refresh-rate`
    expect((await guest.patch(own, { refreshRate: 'LIVE' })).status).toBe(403)
    await user.patch(at('guest-refresh-rate-lock'), { locked: false })
    expect((await guest.patch(own, { refreshRate: 'LIVE' })).status).toBe(200)
  })
})
