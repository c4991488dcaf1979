import { describe, expect, test } from 'bun:test'
import { countIn, filesBelow, findIn } from '../../../test/lab/secret-search.ts'
import { testApp } from '../../../test/support/app.ts'
import { daemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { practiceGame, practiceOrigin } from '../../../test/support/practice-origin.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import { testDaemon } from '../../../test/support/test-daemon.ts'
import type { DaemonSession } from '../sessions/model.ts'
import type { PersistentSession } from './model.ts'

const base = '/api/system/prefill/persistent'
const path = '/api/ext/prefill/persistent/stored-login'
const token = 'T0KEN-of-the-installation'

/** An alpha daemon that is already there and accepts this token. */
async function fixture(refreshToken: string) {
  const login = { displayName: 'gordon', steps: [], refreshToken }
  const origin = practiceOrigin({ games: [practiceGame('440')], login })
  const daemon = await testDaemon({
    platform: 'alpha',
    cachePort: origin.port,
    environment: { PREFILL_PRACTICE_ORIGIN: origin.url },
  })
  const app = await testApp({
    environment: { Prefill__Alpha__Transport: `unix://${daemon.socketPath}` },
  })
  const owner = await signInOwner(app)
  const use = async (service = 'alpha') => {
    const answer = await owner.post(path, { service })
    return { status: answer.status, body: (await answer.json()) as { error?: string } }
  }
  const row = async () => {
    const rows = (await (await owner.get(`${base}/list`)).json()) as PersistentSession[]
    return rows[0]
  }
  return { app, owner, daemon, use, row }
}

test('the stored account signs a daemon in, and a later logout ends that', async () => {
  const { app, owner, daemon, use, row } = await fixture(token)
  expect((await use()).status).toBe(404)
  await owner.post(`${base}/start`, { service: 'alpha' })
  expect(await row()).toMatchObject({ isAuthenticated: false, storedAccount: null })
  expect(await use()).toEqual({
    status: 400,
    body: expect.objectContaining({
      error: 'No sign-in to Steam is stored that a daemon can use',
    }) as object,
  })
  app.credentials.keep('alpha.refreshToken', token, 'gordon')
  expect(await row()).toMatchObject({ isAuthenticated: false, storedAccount: 'gordon' })
  expect(await use()).toMatchObject({ status: 200, body: { status: 'logged-in' } })
  expect(await row()).toMatchObject({ isAuthenticated: true, username: 'gordon' })
  expect((await daemon.client.ask('status')).data).toMatchObject({ username: 'gordon' })
  expect((await use()).status).toBe(200)
  const out = await owner.post(`${base}/logout`, { service: 'alpha' })
  expect((await out.json()) as object).toEqual({ forgotten: true, fallback: null })
  expect(await row()).toMatchObject({ isAuthenticated: false })
  const secrets = new Map([['token', token]])
  expect(countIn(app.logLines.join(''), secrets)).toEqual({})
  expect(findIn(app.root, filesBelow(app.root), secrets)).toEqual({})
})

test('a refused one leaves the session signed out, and the token in no answer', async () => {
  const { app, owner, use, row } = await fixture('another')
  app.credentials.keep('alpha.refreshToken', token, 'gordon')
  await owner.post(`${base}/start`, { service: 'alpha' })
  const answer = await use()
  expect(answer.status).toBe(409)
  expect(answer.body.error).toBe('Login failed: the stored sign-in was refused')
  expect(await row()).toMatchObject({ isAuthenticated: false })
})

test('a banned account is not signed in', async () => {
  const { app, owner, use } = await fixture(token)
  app.credentials.keep('alpha.refreshToken', token, 'Gordon')
  await owner.post(`${base}/start`, { service: 'alpha' })
  await owner.post('/api/prefill-admin/bans', { username: 'gordon' })
  expect((await use()).status).toBe(403)
})

test('a daemon that does not know the command is told nothing', async () => {
  const daemon = await daemonStandIn('alpha')
  const app = await testApp({ environment: daemon.environment })
  const owner = await signInOwner(app)
  app.credentials.keep('alpha.refreshToken', token, 'gordon')
  await owner.post(`${base}/start`, { service: 'alpha' })
  const answer = await owner.post(path, { service: 'alpha' })
  expect(answer.status).toBe(409)
  // Another one can start.
  const login = { success: false, error: 'not today' }
  daemon.on('login', () => login)
  expect((await owner.post(`${base}/login`, { service: 'alpha' })).status).toBe(400)
  expect(daemon.commands('provide-auto-login')).toEqual([])
})

describe('at the start of a session', () => {
  async function start(mode: 'keepAcrossRestart' | 'fullPersistence', answer: 'in' | 'asks') {
    const daemon = await daemonStandIn('alpha')
    daemon.on('login', () => {
      if (answer === 'in') queueMicrotask(() => daemon.loggedIn('gordon'))
      else queueMicrotask(() => daemon.challenge('username'))
      return { success: true, message: 'Login started - awaiting credentials' }
    })
    const app = await testApp({ environment: daemon.environment })
    app.settings.set('prefill.schedule', {
      ...app.settings.get('prefill.schedule'),
      persistenceMode: mode,
    })
    const owner = await signInOwner(app)
    const started = await owner.post(`${base}/start`, { service: 'alpha' })
    return { daemon, session: (await started.json()) as DaemonSession }
  }

  test('a daemon takes up what it has stored, without a question', async () => {
    const { daemon, session } = await start('fullPersistence', 'in')
    expect(session.authState).toBe('Authenticated')
    expect(daemon.commands('cancel-login')).toEqual([])
  })

  test('a daemon that asks stays signed out, and its question is withdrawn', async () => {
    const { daemon, session } = await start('fullPersistence', 'asks')
    expect(session.authState).toBe('NotAuthenticated')
    expect(daemon.commands('cancel-login')).toHaveLength(1)
  })

  test('an old sign-in is not taken up where it should not outlive its session', async () => {
    const { daemon, session } = await start('keepAcrossRestart', 'in')
    expect(session.authState).toBe('NotAuthenticated')
    expect(daemon.commands('login')).toEqual([])
  })
})
