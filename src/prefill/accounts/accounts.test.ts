import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { daemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { practiceGame, practiceOrigin } from '../../../test/support/practice-origin.ts'
import { signInOwner, type Browser } from '../../../test/support/sign-in.ts'
import type { HistoryEntry } from '../administration/model.ts'
import type { LoginAnswer } from '../persistent/model.ts'
import type { NamedSchedule } from '../scheduled/named-model.ts'
import type { CredentialChallenge } from '../sessions/model.ts'
import type { PrefillAccount } from './model.ts'

const base = '/api/ext/prefill/accounts'
const schedules = '/api/ext/prefill/schedules'

function caller(owner: Browser) {
  const json = async <T>(answer: Promise<Response>): Promise<T> =>
    (await (await answer).json()) as T
  const list = () => json<PrefillAccount[]>(owner.get(base))
  const add = (platform = 'alpha') => json<PrefillAccount>(owner.post(base, { platform }))
  const start = (id: string) => json<PrefillAccount>(owner.post(`${base}/${id}/start`))
  const account = async (id: string) => (await list()).find((one) => one.id === id)

  async function signIn(id: string, credential: string): Promise<void> {
    const answer = await json<LoginAnswer>(owner.post(`${base}/${id}/login`))
    const { challengeId } = answer as CredentialChallenge
    await owner.post(`${base}/${id}/login/credential`, { challengeId, credential })
    await eventually(async () => (await account(id))?.state === 'signedIn', `${id} is signed in`)
  }

  const lastResult = async () => {
    const all = await json<NamedSchedule[]>(owner.get(schedules))
    return all.find(({ id }) => id === 'alpha')?.lastResult ?? null
  }

  /** Runs the first schedule of Steam and resolves to its result. */
  async function prefill(options: object) {
    const usual = { enabled: true, notificationMode: 'silent', intervalHours: 24, preset: 'All' }
    await owner.put(`${schedules}/alpha`, { name: 'Default', ...usual, ...options })
    const before = await lastResult()
    await owner.post(`${schedules}/alpha/run`)
    const isOver = async () => (await lastResult())?.endedAtUtc !== before?.endedAtUtc
    await eventually(isOver, 'the schedule ends')
    return lastResult()
  }

  async function history(sessionId: string | null): Promise<string[]> {
    const path = `/api/prefill-admin/sessions/${sessionId}/history`
    const rows = await json<HistoryEntry[]>(owner.get(path))
    return rows.map(({ appId, status }) => `${appId} ${status}`).toSorted()
  }

  return { json, list, add, start, account, signIn, prefill, history }
}

/** Two accounts of Steam that own other games, and one in common; each has a daemon of its own. */
async function household() {
  const origin = practiceOrigin({
    games: [
      practiceGame('1', { owners: ['ada'] }),
      practiceGame('2', { owners: ['bob'] }),
      practiceGame('3', { owners: ['ada', 'bob'] }),
    ],
    login: { displayName: 'a player', steps: [{ credentialType: 'username' }] },
  })
  const app = await testApp({
    practiceOrigin: origin.url,
    environment: { Prefill__LancacheIp: `127.0.0.1:${origin.port}` },
  })
  app.settings.set('setup.isCompleted', true)
  const owner = await signInOwner(app)
  const calls = caller(owner)
  const ada = await calls.start('alpha')
  const bob = await calls.add()
  await calls.signIn('alpha', 'ada')
  await calls.signIn(bob.id, 'bob')
  origin.content.length = 0
  return { app, owner, origin, ada, bob, ...calls }
}

const folderOf = ({ root }: TestApp, id: string) =>
  join(root, 'data', 'prefill', 'builtin', 'alpha', 'accounts', id)

test('games go to an account that owns them; what nobody owns fails alone', async () => {
  const { ada, bob, account, prefill, history, origin } = await household()
  expect(await prefill({ selectedAppIds: ['1', '2', '3', '4'] })).toMatchObject({
    stage: 'completed',
    messageKey: 'completedPartly',
    messageValues: { failed: 1 },
    bytesDownloaded: 9000,
  })
  expect(await history(ada.sessionId)).toEqual(['1 Completed', '3 Completed', '4 Failed'])
  expect(await history(bob.sessionId)).toEqual(['2 Completed'])
  expect(origin.content).toHaveLength(9)
  expect(await account('alpha')).toMatchObject({ name: 'ada', games: 2, isPrefilling: false })
  expect(await account(bob.id)).toMatchObject({ name: 'bob', games: 2, state: 'signedIn' })
})

test('a preset runs with each account; what one has prefilled is up to date for the next', async () => {
  const { ada, bob, prefill, history, origin } = await household()
  expect(await prefill({})).toMatchObject({ messageKey: 'completed', bytesDownloaded: 9000 })
  expect(await history(ada.sessionId)).toEqual(['1 Completed', '3 Completed'])
  expect(await history(bob.sessionId)).toEqual(['2 Completed', '3 Cached'])
  expect(origin.content).toHaveLength(9)
})

test('an account that is signed out does not stop the others, and is mentioned', async () => {
  const { owner, bob, ada, account, prefill, history } = await household()
  expect((await owner.post(`${base}/alpha/logout`)).status).toBe(200)
  expect(await account('alpha')).toMatchObject({ state: 'signedOut', name: null, games: null })
  expect(await prefill({ selectedAppIds: ['2', '3'] })).toMatchObject({
    stage: 'completed',
    messageKey: 'completedSome',
    messageValues: { failed: 0, accounts: 1 },
    bytesDownloaded: 6000,
  })
  expect(await history(ada.sessionId)).toEqual([])
  expect(await history(bob.sessionId)).toEqual(['2 Completed', '3 Completed'])
  await owner.post(`${base}/${bob.id}/logout`)
  expect(await prefill({})).toMatchObject({ stage: 'needs-login', messageKey: 'notSignedIn' })
})

test('a removed account leaves nothing; the others stay as they are', async () => {
  const { app, owner, bob, ada, list, account } = await household()
  const secret = `prefill.alphaSecret.${bob.id}` as const
  expect(existsSync(folderOf(app, bob.id))).toBe(true)
  expect(app.credentials.read(secret).state).toBe('kept')
  const hub = await hubClient(app.listen(), owner, null)
  expect((await owner.delete(`${base}/alpha`)).status).toBe(409)
  expect((await owner.delete(`${base}/${bob.id}`)).status).toBe(200)
  await hub.until('PrefillAccountsUpdated')
  expect(existsSync(folderOf(app, bob.id))).toBe(false)
  expect(app.credentials.read(secret).state).toBe('none')
  expect((await list()).map(({ id }) => id)).toEqual(['alpha', 'beta', 'epsilon'])
  expect(await account('alpha')).toMatchObject({
    sessionId: ada.sessionId,
    state: 'signedIn',
    name: 'ada',
  })
  for (const path of ['start', 'login', 'logout']) {
    expect((await owner.post(`${base}/${bob.id}/${path}`)).status).toBe(404)
  }
})

test('the documented calls mean the first account only; signing all out means all', async () => {
  const { owner, bob, ada, list, json } = await household()
  const persistent = '/api/system/prefill/persistent'
  expect(await json<object[]>(owner.get(`${persistent}/list`))).toMatchObject([
    { sessionId: ada.sessionId, username: 'ada' },
  ])
  const stop = await owner.post(`${persistent}/stop`, { sessionId: bob.sessionId })
  expect(stop.status).toBe(404)
  const cleared = await json<{ services: object[] }>(owner.post(`${persistent}/clear-logins`))
  expect(cleared.services).toHaveLength(5)
  expect(cleared.services[0]).toEqual({
    service: 'Alpha',
    wasRunning: true,
    success: true,
    detail: 'logged-out',
  })
  const states = (await list()).map(({ id, state }) => [id, state])
  expect(states.slice(0, 2)).toEqual([
    ['alpha', 'signedOut'],
    [bob.id, 'signedOut'],
  ])
})

test('a ban of a name ends the session of whichever account has it', async () => {
  const { owner, bob, account } = await household()
  await owner.post('/api/prefill-admin/bans', { username: 'Bob' })
  expect(await account(bob.id)).toMatchObject({ state: 'notStarted', sessionId: null })
  expect(await account('alpha')).toMatchObject({ state: 'signedIn' })
})

test('an account whose daemon is lost fails alone, and can be started again', async () => {
  const { app, owner, origin, ada, bob, account, prefill, history, start } = await household()
  const note = join(app.root, 'data', 'prefill', 'sessions', ada.sessionId ?? '', 'process.json')
  const { pid } = JSON.parse(readFileSync(note, 'utf8')) as { pid: number }
  origin.intercept((path) => {
    if (path.includes('/1/')) process.kill(pid, 'SIGKILL')
    return undefined
  })
  const problem = 'Socket connection lost unexpectedly'
  expect(await prefill({})).toMatchObject({ stage: 'failed', message: problem })
  expect(await history(bob.sessionId)).toEqual(['2 Completed', '3 Completed'])
  expect(await account('alpha')).toMatchObject({ state: 'failed', problem })
  expect(await account(bob.id)).toMatchObject({ state: 'signedIn', problem: null })
  expect(await start('alpha')).toMatchObject({ state: 'signedOut', problem: null })
  expect((await owner.post(`${base}/alpha/login/cancel`)).status).toBe(200)
})

test.each([
  [`${base}/alpha/login`, undefined],
  ['/api/system/prefill/persistent/login', { service: 'alpha' }],
])('an expired sign-in is replaced by the next one: %s', async (path, body) => {
  const time = new ManualTime()
  const daemon = await daemonStandIn('alpha')
  daemon.state.isLoggedIn = true
  const app = await testApp({ clock: time, timers: time, environment: daemon.environment })
  const owner = await signInOwner(app)
  const { account, start, json } = caller(owner)
  const { sessionId } = await start('alpha')
  await owner.put('/api/system/prefill/persistent/validity', { days: 1 })
  await time.skip(25 * 3_600_000)
  expect(await account('alpha')).toMatchObject({ sessionId, state: 'expired' })
  expect(await json<LoginAnswer>(owner.post(path, body))).toMatchObject({
    status: 'logged-in',
  })
  const renewed = await account('alpha')
  expect(renewed).toMatchObject({ state: 'signedIn' })
  expect(renewed?.sessionId).not.toBe(sessionId)
  expect(Date.parse(renewed?.expiresAtUtc ?? '')).toBeGreaterThan(time.now().getTime())
})

test('a platform has five accounts at most, and only platforms with accounts have them', async () => {
  const { owner, add, list } = await household()
  for (const _ of [2, 3, 4]) await add()
  const alpha = (await list()).filter(({ platform }) => platform === 'alpha')
  expect(alpha.map(({ isFirst, canAdd }) => [isFirst, canAdd])).toEqual([
    [true, false],
    ...Array.from({ length: 4 }, () => [false, false]),
  ])
  expect((await owner.post(base, { platform: 'alpha' })).status).toBe(409)
  expect((await owner.post(base, { platform: 'gamma' })).status).toBe(400)
  expect((await owner.post(`${base}/gamma/start`)).status).toBe(404)
})

test('a daemon that Larder does not start has one account', async () => {
  const daemon = await daemonStandIn('alpha')
  const app = await testApp({ environment: daemon.environment })
  const owner = await signInOwner(app)
  const { list } = caller(owner)
  const refused = await owner.post(base, { platform: 'alpha' })
  expect(refused.status).toBe(409)
  expect((await refused.json()) as object).toMatchObject({
    error: 'Larder does not run the daemon of Steam, which has one account only',
  })
  expect((await owner.post(`${base}/alpha/start`)).status).toBe(200)
  expect(await list()).toMatchObject([
    { id: 'alpha', state: 'signedOut', canAdd: false },
    { id: 'beta', state: 'notStarted', canAdd: true },
    { id: 'epsilon' },
  ])
})

test('an account whose daemon cannot be started is not added', async () => {
  const app = await testApp({ practiceOrigin: 'not an address' })
  const owner = await signInOwner(app)
  expect((await owner.post(base, { platform: 'beta' })).status).toBe(503)
  expect(await caller(owner).list()).toHaveLength(3)
  expect(readdirSync(join(app.root, 'data', 'prefill', 'builtin', 'beta', 'accounts'))).toEqual([])
})
