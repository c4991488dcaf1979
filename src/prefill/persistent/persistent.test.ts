import { beforeEach, describe, expect, test } from 'bun:test'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { daemonStandIn, type DaemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { signInOwner, type Browser } from '../../../test/support/sign-in.ts'
import type { CredentialChallenge, DaemonSession } from '../sessions/model.ts'
import type { PersistentSession } from './model.ts'

const base = '/api/system/prefill/persistent'

let app: TestApp
let daemon: DaemonStandIn
let owner: Browser
let time: ManualTime

beforeEach(async () => {
  time = new ManualTime()
  daemon = await daemonStandIn('alpha')
  app = await testApp({ clock: time, timers: time, environment: daemon.environment })
  owner = await signInOwner(app)
})

const post = async (path: string, body: object = {}) => {
  const answer = await owner.post(`${base}/${path}`, { service: 'Alpha', ...body })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
}
const start = async (body: object = {}) => (await post('start', body)).body as DaemonSession
const list = async () => (await (await owner.get(`${base}/list`)).json()) as PersistentSession[]

/** Starts a login; the daemon asks for this type of credential. */
async function login(type: string, body: object = {}) {
  const answered = post('login', body)
  await eventually(() => daemon.commands('login').length > 0, 'the login arrives')
  daemon.challenge(type)
  const answer = await answered
  return answer.body as CredentialChallenge
}

describe('a persistent session', () => {
  test('is started once, listed, and stopped', async () => {
    const first = await start()
    expect(first).toMatchObject({ isPersistent: true, status: 'Active', platform: 'Alpha' })
    expect((await start({ service: 0 })).id).toBe(first.id)
    expect(await list()).toMatchObject([
      { sessionId: first.id, service: 'Alpha', isRunning: true, isAuthenticated: false },
    ])
    expect(await post('stop', { sessionId: 'x', service: undefined })).toMatchObject({
      status: 404,
      body: { error: 'No persistent session found with id x' },
    })
    expect((await post('stop', { sessionId: first.id, service: undefined })).status).toBe(200)
    expect(await list()).toEqual([])
  })

  test.each(['login', 'logout', 'selected-apps', 'prefill', 'cancel-prefill'])(
    '%s without one is answered with its state',
    async (path) => {
      const body = path === 'selected-apps' ? { appIds: [] } : {}
      expect(await post(path, body)).toMatchObject({ status: 404, body: { state: 'notStarted' } })
      await start()
      expect(await post(path, { ...body, sessionId: 'other' })).toEqual({
        status: 409,
        body: { error: 'session_replaced', state: 'active' },
      })
    },
  )

  test('ends after its validity only in so far as it asks for a new sign-in', async () => {
    await start()
    expect((await owner.put(`${base}/validity`, { days: 366 })).status).toBe(400)
    expect((await owner.put(`${base}/validity`, { days: 1 })).status).toBe(200)
    await time.skip(25 * 3_600_000)
    expect(await list()).toMatchObject([{ isRunning: true, needsRelogin: true }])
    await owner.put(`${base}/validity`, { days: 30 })
    expect(await list()).toMatchObject([{ needsRelogin: false }])
  })

  test('prefills the given apps and answers at the end of the run', async () => {
    await start()
    const ended = post('prefill', { appIds: ['440', 'x'], top: 5 })
    await eventually(() => daemon.commands('prefill').length === 1, 'the command arrives')
    expect(daemon.commands('set-selected-apps')[0]?.parameters).toEqual({ appIds: '[440,"x"]' })
    expect(daemon.commands('prefill')[0]?.parameters).toMatchObject({ top: '5' })
    daemon.progress({ state: 'completed' })
    expect(await ended).toMatchObject({ status: 200, body: { success: true } })
  })
})

test('games that are known to be cached are those of Steam, for Steam alone', async () => {
  const other = await daemonStandIn('gamma')
  const both = await testApp({ environment: { ...daemon.environment, ...other.environment } })
  const { stores } = both.groups.prefill.sessions
  const known = { manifestId: '7', appName: null, totalBytes: null, cachedBy: null }
  stores.depots.record({ depotId: 441, appId: '440', cachedAt: time.now(), ...known })
  const browser = await signInOwner(both)
  const answerOf = async (service: string) => {
    await browser.post(`${base}/start`, { service })
    return (await (await browser.get(`${base}/games?service=${service}`)).json()) as object
  }
  expect(await answerOf('alpha')).toMatchObject({ cachedAppIds: ['440'] })
  expect(await answerOf('gamma')).toMatchObject({ cachedAppIds: [] })
})

test('a sign-out cancels the run first', async () => {
  daemon.state.isLoggedIn = true
  await start()
  const ended = post('prefill', { all: true })
  await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
  const signedOut = post('logout')
  await eventually(() => daemon.commands('cancel-prefill').length === 1, 'it is cancelled')
  expect(daemon.commands('logout')).toEqual([])
  daemon.progress({ state: 'cancelled' })
  expect((await ended).body).toMatchObject({ success: false, errorMessage: 'Prefill cancelled' })
  expect((await signedOut).body).toEqual({ forgotten: true, fallback: null })
})

describe('a login', () => {
  test('goes from challenge to challenge; credentials reach only the daemon', async () => {
    const { id: sessionId } = await start()
    const first = await login('username')
    expect(first).toMatchObject({ credentialType: 'username', sessionId })
    expect(first.operationId).toMatch(/-/)
    const credential = { sessionId, challenge: first, credential: 'gordon' }
    expect(await post('credential', credential)).toEqual({
      status: 200,
      body: { message: 'Credential sent' },
    })
    expect(await post('credential', credential)).toMatchObject({
      status: 409,
      body: { error: 'credential_rejected', state: 'active' },
    })
    const waited = owner.get(`${base}/challenge?service=alpha&sessionId=${sessionId}`)
    const challengeId = daemon.challenge('steam-guard', { email: 'gmail.com' })
    expect((await (await waited).json()) as object).toMatchObject({
      challengeId,
      credentialType: 'steamguard',
      email: 'gmail.com',
    })
    await post('credential', { sessionId, challenge: { challengeId }, credential: 'S3CR3T' })
    expect(daemon.credentials).toEqual(['gordon', 'S3CR3T'])
    daemon.state.username = 'gordon'
    daemon.loggedIn()
    await eventually(async () => (await list())[0]?.isAuthenticated === true, 'it is signed in')
    expect(await list()).toMatchObject([{ username: 'gordon' }])
    expect((await post('login')).body).toMatchObject({ status: 'logged-in' })
    expect(app.logLines.join('')).not.toContain('S3CR3T')
  })

  test('of a banned account is refused and cancelled', async () => {
    const { id: sessionId } = await start()
    await owner.post('/api/prefill-admin/bans', { username: ' Gordon ' })
    const { challengeId } = await login('username')
    const answer = await post('credential', {
      sessionId,
      challenge: { challengeId },
      credential: 'GORDON',
    })
    expect(answer.status).toBe(403)
    expect(daemon.credentials).toEqual([])
    expect(daemon.commands('cancel-login')).toHaveLength(1)
  })

  test('that fails says why', async () => {
    await start()
    const answered = post('login')
    await eventually(() => daemon.commands('login').length === 1, 'the login arrives')
    daemon.event('auth-state', { state: 'awaiting-login', message: 'Login failed: no network' })
    expect(await answered).toEqual({ status: 400, body: { error: 'Login failed: no network' } })
  })

  test('that nobody goes on with is cancelled', async () => {
    const { id: sessionId } = await start()
    const answered = post('login')
    await eventually(() => daemon.commands('login').length === 1, 'the login arrives')
    const soon = new Date(time.now().getTime() + 60_000).toISOString()
    daemon.challenge('password', { expiresAt: soon })
    await answered
    await time.advance(80_000)
    await eventually(() => daemon.commands('cancel-login').length === 1, 'it is cancelled')
    expect(await post('cancel-login', { sessionId: 'stale' })).toEqual({
      status: 200,
      body: { message: 'Login already cancelled' },
    })
    expect(await post('cancel-login', { sessionId })).toMatchObject({ status: 200 })
  })

  test('is cleared on all platforms', async () => {
    daemon.state.isLoggedIn = true
    await start()
    const answer = await owner.post(`${base}/clear-logins`)
    expect((await answer.json()) as object).toEqual({
      services: [
        { service: 'Alpha', wasRunning: true, success: true, detail: 'logged-out' },
        ...['Beta', 'Gamma', 'Delta', 'Epsilon'].map((service) => ({
          service,
          wasRunning: false,
          success: true,
          detail: 'NotFound',
        })),
      ],
    })
  })
})

describe('an edit session', () => {
  const edit = (editActionId: string, editSessionId = 'e1') => ({ editSessionId, editActionId })
  const cleanUp = (services: object[], editSessionId = 'e1') =>
    owner.post(`${base}/edit-session-cleanup`, { editSessionId, cleanupId: 'c1', services })
  const baseline = { service: 'alpha', baselineSelectedAppIds: [] }

  test('needs both ids', async () => {
    expect(await post('start', { editSessionId: 'e1' })).toEqual({
      status: 400,
      body: { error: 'editSessionId and editActionId is required' },
    })
  })

  test('does an action once', async () => {
    await start()
    const body = { appIds: ['1'], ...edit('a1') }
    expect((await post('selected-apps', body)).status).toBe(200)
    expect((await post('selected-apps', body)).status).toBe(200)
    expect(daemon.commands('set-selected-apps')).toHaveLength(1)
  })

  test('refuses the id of another action', async () => {
    await start(edit('a1'))
    const other = { service: 'beta', ...edit('a1') }
    expect(await owner.post(`${base}/start`, other)).toMatchObject({ status: 409 })
    expect(await post('selected-apps', { appIds: ['1'], ...edit('a1') })).toMatchObject({
      status: 409,
    })
    expect(daemon.commands('set-selected-apps')).toHaveLength(0)
  })

  test('that is abandoned stops the session that it started', async () => {
    const { id } = await start(edit('a1'))
    expect((await cleanUp([{ ...baseline, startSessionId: id }])).status).toBe(200)
    expect(await list()).toEqual([])
    expect((await cleanUp([{ ...baseline, startSessionId: id }])).status).toBe(200)
    expect(await post('start', edit('a2'))).toMatchObject({ status: 409 })
  })

  test('leaves a session alone that a later one took over', async () => {
    const { id } = await start(edit('a1'))
    expect((await start(edit('b1', 'e2'))).id).toBe(id)
    await cleanUp([{ ...baseline, startSessionId: id }])
    expect(await list()).toMatchObject([{ sessionId: id }])
  })

  test('undoes its run, its login and its selection', async () => {
    const { id } = await start()
    await post('selected-apps', { appIds: ['2'], ...edit('a1') })
    await login('password', edit('a2'))
    const running = post('prefill', { all: true, ...edit('a3') })
    await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
    daemon.on('cancel-prefill', () => {
      daemon.progress({ state: 'cancelled' })
      return { success: true, message: 'Prefill cancelled' }
    })
    const answer = await cleanUp([
      {
        ...baseline,
        baselineSessionId: id,
        baselineSelectedAppIds: ['1'],
        loginSessionId: id,
        prefillSessionId: id,
        selectionSessionId: id,
      },
    ])
    expect(answer.status).toBe(200)
    expect(await running).toMatchObject({ body: { success: false } })
    expect(daemon.commands('cancel-login')).toHaveLength(1)
    expect(daemon.commands('set-selected-apps').at(-1)?.parameters).toEqual({ appIds: '[1]' })
  })
})
