import { readdirSync } from 'node:fs'
import { expect, test } from 'bun:test'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { betaContent } from '../../../test/support/beta-daemon.ts'
import { practiceChunks } from '../../../test/support/stand-ins/beta-manifest.ts'
import { practiceOrigin } from '../../../test/support/practice-origin.ts'
import {
  isAlive,
  persistentPath,
  prefillService,
  restartFixture,
} from '../../../test/support/prefill-service.ts'
import type { HistoryEntry, PrefillSessionDto } from '../administration/model.ts'
import type { NamedSchedule } from '../scheduled/named-model.ts'
import type { PrefillAccount } from '../accounts/model.ts'
import type { CredentialChallenge, DaemonSession } from './model.ts'

test('after a kill the persistent session is found again with its run; others are cleaned up', async () => {
  const { root, origin, folder, pidOf, runs } = restartFixture()
  const held = Promise.withResolvers<undefined>()
  const content = () => held.promise.then(() => new Response(new Uint8Array(1000)))
  origin.intercept((path) => (path.includes('/a/') ? content() : undefined))
  const first = await prefillService(root, origin.url)
  const start = { service: 'gamma' }
  const session = await first.call<DaemonSession>('POST', `${persistentPath}/start`, start)
  const hub = await hubClient(first.host, { cookies: new Map() }, 'gamma')
  const temporary = await hub.call<DaemonSession>('CreateSessionAsync')
  const run = { ...start, all: true }
  await first.call('POST', `${persistentPath}/prefill`, run, { Prefer: 'respond-async' })
  const historyPath = `/api/prefill-admin/sessions/${session.id}/history`
  const history = (from: typeof first) => from.call<HistoryEntry[]>('GET', historyPath)
  await eventually(async () => (await history(first)).length === 1, 'the first game runs')
  const alsoRuns = `/api/gamma-daemon/sessions/${temporary.id}/prefill`
  await first.call('POST', alsoRuns, { all: true }, { Prefer: 'respond-async' })
  await eventually(() => runs().length === 2, 'both runs are noted')
  const pids = { persistent: pidOf(session.id), temporary: pidOf(temporary.id) }
  await first.end('SIGKILL')
  expect(isAlive(pids.persistent)).toBe(true)

  const second = await prefillService(root, origin.url)
  const active = () => second.call<DaemonSession[]>('GET', '/api/prefill-admin/sessions/active')
  await eventually(async () => (await active()).length === 1, 'the session is found again')
  const found = { id: session.id, isPersistent: true, status: 'Active', isPrefilling: true }
  expect(await active()).toMatchObject([found])
  expect(pidOf(session.id)).toBe(pids.persistent)
  await eventually(() => !isAlive(pids.temporary), 'the other daemon is ended')
  const { sessions } = await second.call<{ sessions: PrefillSessionDto[] }>(
    'GET',
    '/api/prefill-admin/sessions',
  )
  expect(sessions).toMatchObject([
    { sessionId: temporary.id, status: 'Cleaned', isLive: false },
    { sessionId: session.id, status: 'Active', isLive: true, endedAtUtc: null },
  ])
  const open = () => runs().flatMap(([id, isOpen]) => (isOpen === 1 ? [id] : []))
  await eventually(() => open().length === 1, 'the run that is gone is closed')
  expect(runs()).toEqual([
    [session.id, 1],
    [temporary.id, 0],
  ])
  held.resolve(undefined)
  await eventually(
    async () => (await active())[0]?.lastPrefillStatus === 'completed',
    'the run goes on to its end',
  )
  expect(open()).toEqual([])
  const rows = (await history(second)).map(({ appId, status }) => [appId, status])
  expect(rows).toEqual([
    ['b', 'Completed'],
    ['a', 'Completed'],
  ])
  expect(readdirSync(folder)).toEqual([session.id])
  await second.call('POST', `${persistentPath}/stop`, { sessionId: session.id }).catch(() => null)
  await eventually(() => !isAlive(pids.persistent), 'the daemon ends with its session')
})

const accountsPath = '/api/ext/prefill/accounts'

/** Two accounts of Epic Games, of which each owns a game and both own a third one. */
function household() {
  const epic = betaContent()
  const [lantern, comets] = epic.assets
  const basePath = '/Builds/Org/o-both/1/default'
  const build = { chunks: practiceChunks(3, 3) }
  const both = { appName: 'Both', title: 'Shared Orbit', buildVersion: '1', basePath, build }
  if (lantern === undefined || comets === undefined) throw new Error('the stand-in has no games')
  epic.assets = [lantern, both]
  epic.others.push({
    code: 'code-of-bob',
    displayName: 'Bob',
    accountId: 'bob',
    assets: [comets, both],
    refreshToken: '',
    accessToken: '',
  })
  return epic
}

test('two accounts survive a kill and a restart, each with a sign-in of its own', async () => {
  const epic = household()
  const { root } = restartFixture()
  const origin = practiceOrigin()
  const content = (path: string, { url, headers }: Request) =>
    path.startsWith('/Builds/')
      ? fetch(`${epic.url}${new URL(url).pathname}`, { headers })
      : undefined
  origin.intercept(content)
  const open = () => prefillService(root, origin.url, epic.environment)
  const first = await open()
  const accounts = async (from: typeof first) =>
    (await from.call<PrefillAccount[]>('GET', accountsPath)).filter(
      ({ platform }) => platform === 'beta',
    )
  await first.send('POST', `${accountsPath}/beta/start`)
  const added = await first.send('POST', accountsPath, { platform: 'beta' })
  const { id } = (await added.json()) as PrefillAccount
  const codes = { beta: epic.code, [id]: 'code-of-bob' }
  for (const [one, credential] of Object.entries(codes)) {
    const path = `${accountsPath}/${one}/login`
    const { challengeId } = await first.call<CredentialChallenge>('POST', path)
    await first.send('POST', `${path}/credential`, { challengeId, credential })
  }
  const states = async (from: typeof first) =>
    (await accounts(from)).map(({ state, name }) => `${state} ${name}`)
  const areIn = (from: typeof first) => async () =>
    Bun.deepEquals(await states(from), ['signedIn Some Player', 'signedIn Bob'])
  await eventually(areIn(first), 'both are signed in')
  const before = await accounts(first)

  const schedule = '/api/ext/prefill/schedules'
  await first.send('PUT', `${schedule}/beta`, {
    name: 'Default',
    enabled: true,
    notificationMode: 'silent',
    intervalHours: 24,
    preset: 'All',
    selectedAppIds: ['Lantern', 'Comets', 'Both'],
  })
  await first.send('POST', `${schedule}/beta/run`)
  const result = async () =>
    (await first.call<NamedSchedule[]>('GET', schedule)).find((one) => one.id === 'beta')
      ?.lastResult ?? null
  await eventually(async () => (await result()) !== null, 'the schedule ends')
  expect(await result()).toMatchObject({ stage: 'completed', messageKey: 'completed' })
  const games = async (sessionId: string | null) =>
    (
      await first.call<HistoryEntry[]>('GET', `/api/prefill-admin/sessions/${sessionId}/history`)
    ).map(({ appId, status }) => `${appId} ${status}`)
  const prefilled = await Promise.all(before.map(({ sessionId }) => games(sessionId)))
  expect(prefilled).toEqual([
    expect.arrayContaining(['Lantern Completed', 'Both Completed']) as string[],
    ['Comets Completed'],
  ])
  await first.end('SIGKILL')

  const second = await open()
  await eventually(areIn(second), 'both are found again')
  const sessionsOf = (all: PrefillAccount[]) => all.map(({ sessionId }) => sessionId)
  expect(sessionsOf(await accounts(second))).toEqual(sessionsOf(before))
  // Daemons end with the service and sign in again with what each of them has stored.
  await second.end('SIGTERM')
  const third = await open()
  await eventually(areIn(third), 'both are signed in again')
  expect((await third.send('DELETE', `${accountsPath}/${id}`)).status).toBe(200)
  expect(await states(third)).toEqual(['signedIn Some Player'])
})

test.each([
  ['keepAcrossRestart', 1],
  ['killOnRestart', 0],
] as const)('after a stop with %s there are %d persistent sessions', async (mode, count) => {
  const { root, origin, pidOf } = restartFixture()
  const first = await prefillService(root, origin.url)
  const configPath = '/api/system/schedules/scheduledPrefill/config'
  const config = await first.call<object>('GET', configPath)
  await first.send('PUT', configPath, { ...config, persistenceMode: mode })
  const start = { service: 'gamma' }
  const session = await first.call<DaemonSession>('POST', `${persistentPath}/start`, start)
  const pid = pidOf(session.id)
  await first.end('SIGTERM')
  expect(isAlive(pid)).toBe(false)

  const second = await prefillService(root, origin.url)
  const list = () => second.call<object[]>('GET', `${persistentPath}/list`)
  await eventually(async () => (await list()).length === count, 'the sessions are restored')
  const { sessions } = await second.call<{ sessions: PrefillSessionDto[] }>(
    'GET',
    '/api/prefill-admin/sessions',
  )
  const ended = sessions.find(({ sessionId }) => sessionId === session.id)
  expect(ended?.status).toBe(count === 0 ? 'Terminated' : 'Orphaned')
  expect(await list()).toMatchObject(count === 0 ? [] : [{ authExpiresAtUtc: session.expiresAt }])
})
