import { describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import {
  Browser,
  signIn,
  signInAs,
  signInGuest,
  signInOwner,
  sessionIdOf,
} from '../../../test/support/sign-in.ts'
import type { SessionList } from './model.ts'

const time = new ManualTime()

const app = await testApp({ clock: time })
const owner = await signInOwner(app)
const admin = await signInAs(app, 'admin')
const user = await signInAs(app, 'user')
let guest = await signInGuest(app)

const list = async (browser: Browser, query = '') =>
  (await (await browser.get(`/api/sessions${query}`)).json()) as SessionList

describe('listing', () => {
  test("the owner's sessions are hidden from everyone else", async () => {
    const ownId = await sessionIdOf(owner)
    const all = await list(owner)
    expect(all.sessions.find(({ id }) => id === ownId)).toMatchObject({
      sessionType: 'admin',
      username: 'owner',
      isCurrentSession: true,
      isRevoked: false,
      isExpired: false,
      revokedAt: null,
      ipAddress: owner.address,
      alphaPrefillEnabled: true,
      countryCode: null,
    })
    const names = new Map(all.sessions.map(({ sessionType, username }) => [sessionType, username]))
    expect([names.get('user'), names.get('guest')]).toEqual(['some-user', null])
    for (const browser of [admin, user]) {
      const { sessions, historySessions } = await list(browser)
      expect([...sessions, ...historySessions].map(({ id }) => id)).not.toContain(ownId)
      expect(sessions.length).toBeGreaterThanOrEqual(3)
    }
  })

  test('users do not read the names of administrators', async () => {
    const namesIn = async (browser: Browser) =>
      (await list(browser)).sessions.map(({ username }) => username)
    expect(await namesIn(user)).toContain('some-user')
    expect(await namesIn(user)).not.toContain('some-admin')
    expect(await namesIn(admin)).toContain('some-admin')
    const late = await signInAs(app, 'user', 'late-admin')
    const { accountId } = (await (await late.get('/api/auth/status')).json()) as {
      accountId: string
    }
    await owner.put(`/api/accounts/${accountId}/role`, { role: 'admin' })
    expect(JSON.stringify(await list(user))).not.toContain('late-admin')
    expect(JSON.stringify(await list(admin))).toContain('late-admin')
  })

  test('ended sessions come in the order of their end', async () => {
    const [first, second] = [await signIn(app, 'some-user'), await signIn(app, 'some-user')]
    const ids = [await sessionIdOf(first), await sessionIdOf(second)]
    await time.advance(61_000)
    await first.get('/api/user-preferences')
    await first.post('/api/auth/logout')
    await time.advance(1000)
    // Seen before the other one, ended after it.
    await admin.patch(`/api/sessions/${ids[1]}/revoke`)
    const { historySessions } = await list(admin)
    expect(historySessions.slice(0, 2).map(({ id }) => id)).toEqual(ids.toReversed())
  })

  test('counts cover all active sessions, not only the page', async () => {
    const whole = await list(user)
    const page = await list(user, '?page=2&pageSize=1')
    expect(page.sessions).toHaveLength(1)
    expect(page.count).toBe(whole.count)
    expect(page.count).toBe(page.adminCount + page.userCount + page.guestCount)
    expect(page.pagination).toEqual({
      page: 2,
      pageSize: 1,
      totalCount: whole.count,
      totalPages: whole.count,
    })
  })

  test.each([
    ['?page=0&pageSize=0', 200, { page: 1, pageSize: 1 }],
    ['?pageSize=5000', 200, { page: 1, pageSize: 100 }],
    ['?page=2147483647', 200, { page: 2147483647, pageSize: 20 }],
    ['?page=9223372036854775808', 400, undefined],
    ['?page=x', 400, undefined],
    ['?page=1.5', 400, undefined],
  ])('%s', async (query, status, pagination) => {
    const response = await owner.get(`/api/sessions${query}`)
    expect(response.status).toBe(status)
    const answer = (await response.json()) as Partial<SessionList>
    if (pagination !== undefined) expect(answer.pagination).toMatchObject(pagination)
  })
})

describe('ending', () => {
  test("the owner's session answers as if it did not exist", async () => {
    const ownId = await sessionIdOf(owner)
    for (const id of [ownId, ownId.toUpperCase(), crypto.randomUUID()]) {
      for (const answer of [
        await admin.patch(`/api/sessions/${id}/revoke`),
        await admin.delete(`/api/sessions/${id}`),
        await admin.patch(`/api/sessions/${id}/refresh-rate`, { refreshRate: 'LIVE' }),
        await admin.get(`/api/user-preferences/session/${id}`),
      ].slice(0, id === ownId ? 4 : 3)) {
        expect(answer.status).toBe(404)
        expect(await answer.json()).toMatchObject({ error: 'Session not found' })
      }
    }
    expect((await owner.post('/api/auth/heartbeat')).status).toBe(200)
  })

  test('a revoked session ends at once and moves to the history', async () => {
    const browser = await signIn(app, 'some-user')
    const id = await sessionIdOf(browser)
    expect((await admin.patch(`/api/sessions/${id}/revoke`)).status).toBe(200)
    expect((await browser.get('/api/sessions')).status).toBe(401)
    const { historySessions } = await list(admin)
    expect(historySessions.find((one) => one.id === id)).toMatchObject({
      isRevoked: true,
      revokedAt: expect.stringMatching(/Z$/),
    })
    expect((await admin.delete(`/api/sessions/${id}`)).status).toBe(200)
    expect((await list(admin)).historySessions.map((one) => one.id)).not.toContain(id)
  })

  test('clearing guests ends all of them and nobody else', async () => {
    const other = await signInGuest(app)
    const answer = await user.delete('/api/sessions/bulk/clear-guests')
    const cleared = (await answer.json()) as { success: boolean; clearedCount: number }
    expect(cleared.success).toBe(true)
    expect(cleared.clearedCount).toBeGreaterThanOrEqual(2)
    expect((await other.post('/api/auth/heartbeat')).status).toBe(401)
    expect((await user.post('/api/auth/heartbeat')).status).toBe(200)
    guest = await signInGuest(app)
  })
})

describe('refresh rate', () => {
  test('a guest may set it only when unlocked, and only its own', async () => {
    const own = `/api/sessions/${await sessionIdOf(guest)}/refresh-rate`
    const locked = await guest.patch(own, { refreshRate: 'LIVE' })
    expect(locked.status).toBe(403)
    expect(await locked.json()).toMatchObject({ statusCode: 403, error: expect.any(String) })
    app.settings.set('guest.isRefreshRateLocked', false)
    expect((await guest.patch(own, { refreshRate: 'live' })).status).toBe(200)
    const preferences = await (await guest.get('/api/user-preferences')).json()
    expect(preferences).toMatchObject({ refreshRate: 'LIVE' })
    const other = await guest.patch(`/api/sessions/${await sessionIdOf(user)}/refresh-rate`, {})
    expect(other.status).toBe(403)
    expect(await other.text()).toBe('')
    app.settings.clear('guest.isRefreshRateLocked')
  })

  test('nobody sets that of another session', async () => {
    const other = await admin.patch(`/api/sessions/${await sessionIdOf(user)}/refresh-rate`, {})
    expect(other.status).toBe(403)
  })

  test('an unknown rate means the default; a wrong type is refused', async () => {
    const id = await sessionIdOf(user)
    const path = `/api/sessions/${id}/refresh-rate`
    expect((await user.patch(path, { refreshRate: 'WARP' })).status).toBe(200)
    expect(app.control.preferences.read(id).refreshRate).toBeNull()
    expect((await user.patch(path, { refreshRate: 5 })).status).toBe(400)
  })
})

describe('client information', () => {
  test('stores what the browser reports, truncated; no location lookup', async () => {
    const answer = await user.post('/api/sessions/me/client-info', {
      timezone: 'Europe/Berlin',
      language: 'x'.repeat(100),
      screenResolution: '2560x1440',
    })
    expect(await answer.json()).toEqual({
      success: true,
      publicIp: null,
      countryCode: null,
      country: null,
      region: null,
      city: null,
      timezone: 'Europe/Berlin',
      isp: null,
    })
    const id = await sessionIdOf(user)
    expect((await list(user)).sessions.find((one) => one.id === id)).toMatchObject({
      browserLanguage: 'x'.repeat(16),
      screenResolution: '2560x1440',
    })
  })

  test('a public address is stored without a lookup', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9, 8.8.8.8' }
    const body = { timezone: null }
    const answer = await user.send('POST', '/api/sessions/me/client-info', { headers, body })
    expect(await answer.json()).toMatchObject({ publicIp: '8.8.8.8', timezone: null })
  })
})

describe('guest sessions', () => {
  test('expire; their cookie is then worthless', async () => {
    const browser = await signInGuest(app)
    const cookie = browser.sessionToken ?? ''
    await time.advance(6 * 3_600_000 - 1000)
    expect((await browser.post('/api/auth/heartbeat')).status).toBe(200)
    await time.advance(2000)
    const replay = new Browser(app)
    replay.cookies.set('Svc.Session', cookie)
    expect((await replay.get('/api/user-preferences')).status).toBe(401)
    const ended = (await list(owner)).historySessions.find((one) => one.sessionType === 'guest')
    expect(ended).toMatchObject({ isExpired: expect.any(Boolean) })
  })
})
