import { beforeEach, expect, test } from 'bun:test'
import { testApp } from '../../test/support/app.ts'
import {
  signIn,
  signInAs,
  signInGuest,
  signInOwner,
  sessionIdOf,
} from '../../test/support/sign-in.ts'
import type { Audience } from '../core/live/contract.ts'
import { events } from '../app.ts'

const seen: { event: string; data: unknown }[] = []
const everything: { event: string; data: unknown; audience: Audience | undefined }[] = []

const app = await testApp()
const owner = await signInOwner(app)
const user = await signInAs(app, 'user')
let guest = await signInGuest(app)
const { hub } = app
const publish = hub.publish.bind(hub)
hub.publish = (event, data, audience) => {
  seen.push({ event, data })
  everything.push({ event, data, audience })
  publish(event, data, audience)
}
beforeEach(async () => {
  await Promise.all([owner, user, guest].map((browser) => browser.token()))
  seen.splice(0)
})

test('signing in and out', async () => {
  const browser = await signIn(app, 'some-user')
  const sessionId = await sessionIdOf(browser)
  expect(seen).toContainEqual({
    event: 'UserSessionCreated',
    data: { sessionId, sessionType: 'user' },
  })
  await browser.post('/api/auth/logout')
  expect(seen.at(-1)).toEqual({
    event: 'UserSessionRevoked',
    data: { sessionId, sessionType: 'user' },
  })
})

test('ending and deleting another session', async () => {
  const browser = await signIn(app, 'some-user')
  const sessionId = await sessionIdOf(browser)
  seen.splice(0)
  await owner.patch(`/api/sessions/${sessionId}/revoke`)
  await owner.delete(`/api/sessions/${sessionId}`)
  const data = { sessionId, sessionType: 'unknown' }
  expect(seen).toEqual([
    { event: 'UserSessionRevoked', data },
    { event: 'UserSessionDeleted', data },
  ])
})

test("a guest's preference events leave out what was decided for it", async () => {
  const sessionId = await sessionIdOf(guest)
  await guest.patch('/api/user-preferences/sharpCorners', true)
  expect(seen).toMatchObject([
    { event: 'UserPreferencesUpdated', data: { sessionId, preferences: { sharpCorners: true } } },
  ])
  expect(seen[0]?.data).not.toHaveProperty('preferences.alphaMaxThreadCount')
  await user.put(`/api/user-preferences/session/${sessionId}`, { alphaMaxThreadCount: 4 })
  expect(seen[1]).toMatchObject({ data: { sessionId, preferences: { alphaMaxThreadCount: 4 } } })
})

test.each([
  ['/api/auth/guest/config/lock', { isLocked: false }, 'GuestModeLockChanged', { isLocked: false }],
  [
    '/api/auth/guest/config/duration',
    { durationHours: null },
    'GuestDurationUpdated',
    { durationHours: 6 },
  ],
  [
    '/api/auth/guest/prefill/config',
    { durationHours: 1, maxThreadCount: 8 },
    'GuestPrefillConfigChanged',
    { enabledByDefault: false, durationHours: 1, maxThreadCount: 8 },
  ],
  [
    '/api/auth/guest/beta-prefill/config',
    { durationHours: 1 },
    'BetaGuestPrefillConfigChanged',
    { enabledByDefault: false, durationHours: 1, betaMaxThreadCount: null },
  ],
  [
    '/api/auth/guest/delta-prefill/config',
    { durationHours: 1 },
    'DeltaGuestPrefillConfigChanged',
    { enabledByDefault: false, durationHours: 1 },
  ],
  [
    '/api/auth/guest/epsilon-prefill/config',
    { durationHours: 1, maxThreadCount: 0 },
    'EpsilonGuestPrefillConfigChanged',
    { enabledByDefault: false, durationHours: 1, epsilonMaxThreadCount: 1 },
  ],
])('%s', async (path, body, event, data) => {
  expect((await user.post(path, body)).status).toBe(200)
  expect(seen).toEqual([{ event, data }])
})

test('a grant is published to its guest', async () => {
  const sessionId = await sessionIdOf(guest)
  await user.post(`/api/auth/guest/prefill/toggle/${sessionId}?service=beta`, { enabled: true })
  expect(seen).toEqual([
    {
      event: 'GuestPrefillPermissionChanged',
      data: {
        sessionId,
        service: 'beta',
        enabled: true,
        prefillExpiresAt: expect.stringMatching(/Z$/),
      },
    },
  ])
})

test('the guest theme, and changes to all guests', async () => {
  await user.put('/api/themes/preferences/guest', { themeId: 'graphite' })
  await user.post('/api/sessions/bulk/reset-to-defaults')
  await user.delete('/api/sessions/bulk/clear-guests')
  expect(seen.slice(0, 3)).toEqual([
    { event: 'DefaultGuestThemeChanged', data: { newThemeId: 'graphite' } },
    { event: 'UserPreferencesReset', data: { affectedCount: 1, sessionType: 'guest' } },
    { event: 'UserSessionsCleared', data: { clearedCount: 1, sessionType: 'guest' } },
  ])
  guest = await signInGuest(app)
})

test("events about the owner's sessions reach only the owner's sessions", async () => {
  const [first, second] = [await sessionIdOf(owner), await sessionIdOf(await signIn(app, 'owner'))]
  everything.splice(0)
  await owner.patch('/api/user-preferences/sharpCorners', true)
  await owner.patch(`/api/sessions/${first}/refresh-rate`, { refreshRate: 'SLOW' })
  await owner.patch(`/api/sessions/${second}/revoke`)
  const audiences = everything.map(({ event, audience }) => ({ event, audience }))
  for (const event of ['UserPreferencesUpdated', 'GuestRefreshRateUpdated', 'UserSessionRevoked']) {
    for (const sessionId of [first, second]) {
      expect(audiences).toContainEqual({ event, audience: { sessionId } })
    }
  }
  expect(audiences.filter(({ audience }) => audience === undefined)).toEqual([])
})

test('wiping ends all sessions in one event', async () => {
  await owner.post('/api/accounts/wipe')
  expect(seen.map(({ event }) => event)).toEqual(['UserSessionsCleared'])
  expect(seen[0]?.data).toMatchObject({ clearCookies: true })
})

test('every event is in the catalogue and none names an account', () => {
  expect(everything.length).toBeGreaterThan(8)
  expect(everything.filter(({ event }) => !events.has(event))).toEqual([])
  expect(JSON.stringify(everything)).not.toContain('some-user')
})
