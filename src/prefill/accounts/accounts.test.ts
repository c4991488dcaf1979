import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { daemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { accountCalls, household } from '../../../test/support/household.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import type { LoginAnswer } from '../persistent/model.ts'
import type { NamedSchedule } from '../scheduled/named-model.ts'

const base = '/api/ext/prefill/accounts'
const schedules = '/api/ext/prefill/schedules'

/** The household, and a call that runs the first schedule of Steam and resolves to its result. */
async function scheduledHousehold() {
  const home = await household()
  const { owner, json } = home
  const lastResult = async () => {
    const all = await json<NamedSchedule[]>(owner.get(schedules))
    return all.find(({ id }) => id === 'alpha')?.lastResult ?? null
  }
  async function prefill(options: object) {
    const usual = { enabled: true, notificationMode: 'silent', intervalHours: 24, preset: 'All' }
    await owner.put(`${schedules}/alpha`, { name: 'Default', ...usual, ...options })
    const before = await lastResult()
    await owner.post(`${schedules}/alpha/run`)
    const isOver = async () => (await lastResult())?.endedAtUtc !== before?.endedAtUtc
    await eventually(isOver, 'the schedule ends')
    return lastResult()
  }
  return { ...home, prefill }
}

const folderOf = ({ root }: TestApp, id: string) =>
  join(root, 'data', 'prefill', 'builtin', 'alpha', 'accounts', id)

test('games go to an account that owns them; what nobody owns fails alone', async () => {
  const { ada, bob, account, prefill, history, origin } = await scheduledHousehold()
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
  const { ada, bob, prefill, history, origin } = await scheduledHousehold()
  expect(await prefill({})).toMatchObject({ messageKey: 'completed', bytesDownloaded: 9000 })
  expect(await history(ada.sessionId)).toEqual(['1 Completed', '3 Completed'])
  expect(await history(bob.sessionId)).toEqual(['2 Completed', '3 Cached'])
  expect(origin.content).toHaveLength(9)
})

test('an account that is signed out does not stop the others, and is mentioned', async () => {
  const { owner, bob, ada, account, prefill, history } = await scheduledHousehold()
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
  const { app, owner, origin, ada, bob, account, prefill, history, start } =
    await scheduledHousehold()
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
  const { account, start, json } = accountCalls(owner)
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
  const { list } = accountCalls(owner)
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
  expect(await accountCalls(owner).list()).toHaveLength(3)
  expect(readdirSync(join(app.root, 'data', 'prefill', 'builtin', 'beta', 'accounts'))).toEqual([])
})
