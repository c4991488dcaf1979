import { describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import {
  Browser,
  signInAs,
  signInGuest,
  signInOwner,
  sessionIdOf,
} from '../../../test/support/sign-in.ts'
import { json } from '../../../test/support/answers.ts'

let owner: Browser
let user: Browser
let guest: Browser
const time = new ManualTime()

const app = await testApp({ clock: time })

const base = '/api/auth/guest'

describe('starting', () => {
  test('needs an account, a completed set-up and unlocked guest mode', async () => {
    const start = async () => json(await new Browser(app).post(base))
    const refused = [
      403,
      { error: expect.any(String), statusCode: 403, traceId: expect.any(String) },
    ]
    app.settings.set('setup.isCompleted', true)
    expect(await start()).toEqual(refused)
    const response = await new Browser(app).post(base)
    const { traceId } = (await response.json()) as { traceId: string }
    expect(traceId).toBe(response.headers.get('x-request-id') ?? '')
    owner = await signInOwner(app)
    app.settings.set('setup.isCompleted', false)
    expect(await start()).toEqual(refused)
    app.settings.set('setup.isCompleted', true)
    expect((await owner.post(`${base}/config/lock`, { isLocked: true })).status).toBe(200)
    expect(await start()).toEqual(refused)
    expect(await json(await owner.post(`${base}/config/lock`, { isLocked: false }))).toMatchObject([
      200,
      { success: true, isLocked: false },
    ])
    expect(await start()).toEqual([
      200,
      {
        success: true,
        sessionType: 'guest',
        expiresAt: new Date(time.now().getTime() + 6 * 3_600_000).toISOString(),
      },
    ])
    user = await signInAs(app, 'user')
    guest = await signInGuest(app)
  })

  test('signing in ends the guest session of the browser', async () => {
    const browser = await signInGuest(app)
    const before = browser.sessionToken ?? ''
    const body = { apiKey: app.key, username: 'owner', password: 'Correct-Horse-42' }
    expect((await browser.post('/api/auth/login', body)).status).toBe(200)
    const replay = new Browser(app)
    replay.cookies.set('Svc.Session', before)
    expect((await replay.get('/api/user-preferences')).status).toBe(401)
  })
})

describe('settings', () => {
  test('the duration is overridden and reset', async () => {
    const path = `${base}/config/duration`
    const facts = { canEdit: true, envVarValue: 6 }
    const usual = [200, { durationHours: 6, source: 'config', ...facts }]
    expect(await json(await user.get(path))).toEqual(usual)
    expect(await json(await user.post(path, { durationHours: 720 }))).toEqual([
      200,
      { durationHours: 720, source: 'ui', ...facts },
    ])
    expect(await json(await guest.get(`${base}/status`))).toEqual([
      200,
      { isLocked: false, durationHours: 720 },
    ])
    expect(await json(await user.post(path, { durationHours: null }))).toEqual(usual)
  })

  test.each([0, 721, -1, 1.5, '6'])('a duration of %p is refused', async (durationHours) => {
    expect((await user.post(`${base}/config/duration`, { durationHours })).status).toBe(400)
  })
})

describe('prefill defaults', () => {
  test('alpha includes beta and gamma when read, gamma and delta when saved', async () => {
    expect(await json(await guest.get(`${base}/prefill/config`))).toEqual([
      200,
      {
        enabledByDefault: false,
        durationHours: 2,
        maxThreadCount: null,
        betaEnabledByDefault: false,
        betaDurationHours: 2,
        betaMaxThreadCount: null,
        gammaEnabledByDefault: false,
        gammaDurationHours: 2,
      },
    ])
    const body = {
      enabledByDefault: false,
      durationHours: 3,
      maxThreadCount: 999,
      gammaDurationHours: 17,
      deltaEnabledByDefault: null,
      deltaDurationHours: 1,
    }
    expect(await json(await user.post(`${base}/prefill/config`, body))).toEqual([
      200,
      { success: true, enabledByDefault: false, durationHours: 3, maxThreadCount: 256 },
    ])
    const read = async (platform: string) =>
      (await json(await user.get(`${base}/${platform}-prefill/config`)))[1]
    expect(await read('gamma')).toEqual({ enabledByDefault: false, durationHours: 2 })
    expect(await read('delta')).toEqual({ enabledByDefault: false, durationHours: 1 })
  })

  test.each(['beta', 'gamma', 'delta', 'epsilon'])('%s is saved', async (platform) => {
    const path = `${base}/${platform}-prefill/config`
    const hasThreads = platform === 'beta' || platform === 'epsilon'
    const timing = { enabledByDefault: false, durationHours: 1 }
    const body = { ...timing, ...(hasThreads && { maxThreadCount: 4 }) }
    expect(await json(await user.post(path, body))).toEqual([200, { success: true, ...body }])
    if (!hasThreads)
      expect((await user.post(path, { ...body, maxThreadCount: 4 })).status).toBe(400)
    expect((await user.post(path, { ...body, durationHours: 4 })).status).toBe(400)
    expect((await user.post(path, { enabledByDefault: false })).status).toBe(400)
  })

  test("enabling grants active guests prefill for the platform's hours", async () => {
    const body = { enabledByDefault: true, durationHours: 1 }
    expect((await user.post(`${base}/gamma-prefill/config`, body)).status).toBe(200)
    const until = new Date(time.now().getTime() + 3_600_000).toISOString()
    expect((await json(await guest.get('/api/auth/status')))[1]).toMatchObject({
      prefillEnabled: true,
      gammaPrefillEnabled: true,
      gammaPrefillExpiresAt: until,
      alphaPrefillEnabled: false,
      alphaPrefillExpiresAt: null,
    })
    await time.advance(3_600_000)
    expect((await json(await guest.get('/api/auth/status')))[1]).toMatchObject({
      prefillEnabled: false,
      gammaPrefillEnabled: false,
    })
    const fresh = await signInGuest(app)
    expect((await json(await fresh.get('/api/auth/status')))[1]).toMatchObject({
      gammaPrefillEnabled: true,
    })
  })
})

describe('toggling one guest', () => {
  const toggle = async (sessionId: string, service: string, enabled: boolean) =>
    json(await user.post(`${base}/prefill/toggle/${sessionId}${service}`, { enabled }))
  test('grants, withdraws and returns the expiry', async () => {
    const id = await sessionIdOf(guest)
    const until = new Date(time.now().getTime() + 3_600_000).toISOString()
    expect(await toggle(id, '?service=%20Epsilon', true)).toEqual([
      200,
      { success: true, sessionId: id, service: 'epsilon', enabled: true, prefillExpiresAt: until },
    ])
    expect(app.control.sessions.store.grants(id, time.now())).toMatchObject([
      { platform: 'epsilon' },
    ])
    expect((await toggle(id, '?service=epsilon', false))[1]).toMatchObject({
      enabled: false,
      prefillExpiresAt: null,
    })
    expect(app.control.sessions.store.grants(id, time.now())).toEqual([])
  })

  test('an unknown service acts on alpha and is echoed back', async () => {
    const id = await sessionIdOf(guest)
    expect((await toggle(id, '?service=omega', true))[1]).toMatchObject({ service: 'omega' })
    expect((await toggle(id, '', false))[1]).toMatchObject({ service: 'alpha' })
    expect(app.control.sessions.store.grants(id, time.now())).toEqual([])
  })

  test("an unknown session answers 200, the owner's session 404", async () => {
    expect(await toggle(crypto.randomUUID(), '', true)).toMatchObject([
      200,
      { prefillExpiresAt: null },
    ])
    expect((await toggle(await sessionIdOf(owner), '', true))[0]).toBe(404)
  })
})
