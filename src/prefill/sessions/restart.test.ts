import { Database } from 'bun:sqlite'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { atEnd } from '../../../test/support/cleanup.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { betaContent } from '../../../test/support/beta-daemon.ts'
import { practiceChunks } from '../../../test/support/stand-ins/beta-manifest.ts'
import { practiceGame, practiceOrigin } from '../../../test/support/practice-origin.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { HistoryEntry, PrefillSessionDto } from '../administration/model.ts'
import type { NamedSchedule } from '../scheduled/named-model.ts'
import type { PrefillAccount } from '../accounts/model.ts'
import type { CredentialChallenge, DaemonSession } from './model.ts'

const parent = join(import.meta.dir, '../../../test/support/prefill-parent.ts')

/** A service in a process of its own, on this folder. */
async function service(root: string, origin: string, environment?: object) {
  const more = environment === undefined ? [] : [JSON.stringify(environment)]
  const child = Bun.spawn([process.execPath, parent, root, origin, ...more], { stdout: 'pipe' })
  const exited = child.exited
  // Not by force: its daemons would go on.
  atEnd(async () => {
    child.kill('SIGTERM')
    await exited
  })
  const { value } = await child.stdout.getReader().read()
  const host = `127.0.0.1:${new TextDecoder().decode(value).trim()}`
  const send = (method: string, path: string, body?: object, headers = {}) => {
    const init = { method, headers: { 'content-type': 'application/json', ...headers } }
    const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) }
    return fetch(`http://${host}${path}`, sent)
  }
  return {
    host,
    send,
    // Its form is given by the test.
    call: async <T>(...request: Parameters<typeof send>): Promise<T> =>
      (await (await send(...request)).json()) as T,
    async end(signal: 'SIGKILL' | 'SIGTERM') {
      child.kill(signal)
      await exited
    },
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ')
  } catch {
    return false
  }
}

const persistentPath = '/api/system/prefill/persistent'

/** A folder of the service, and an origin with two games. */
function fixture() {
  const root = tempFolder('restart')
  for (const name of ['data', 'logs', 'cache']) mkdirSync(join(root, name))
  const origin = practiceOrigin({ games: [practiceGame('a', { objects: 2 }), practiceGame('b')] })
  const folder = join(root, 'data', 'prefill', 'sessions')
  const pidOf = (id: string) =>
    (JSON.parse(readFileSync(join(folder, id, 'process.json'), 'utf8')) as { pid: number }).pid
  /** Sessions of the runs whose requests are recognised, and whether they go on. */
  const runs = () => {
    using db = new Database(join(root, 'data', 'state.sqlite'), { readonly: true })
    return db.query('select session_id, ended_at is null from prefill_run order by id').values()
  }
  return { root, origin, folder, pidOf, runs }
}

test('after a kill the persistent session is found again with its run; others are cleaned up', async () => {
  const { root, origin, folder, pidOf, runs } = fixture()
  const held = Promise.withResolvers<undefined>()
  const content = () => held.promise.then(() => new Response(new Uint8Array(1000)))
  origin.intercept((path) => (path.includes('/a/') ? content() : undefined))
  const first = await service(root, origin.url)
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

  const second = await service(root, origin.url)
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
  expect(rows.at(-1)).toEqual(['a', 'Failed'])
  expect(rows).toContainEqual(['b', 'Completed'])
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
  const { root } = fixture()
  const origin = practiceOrigin()
  const content = (path: string, { url, headers }: Request) =>
    path.startsWith('/Builds/')
      ? fetch(`${epic.url}${new URL(url).pathname}`, { headers })
      : undefined
  origin.intercept(content)
  const open = () => service(root, origin.url, epic.environment)
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
  const { root, origin, pidOf } = fixture()
  const first = await service(root, origin.url)
  const configPath = '/api/system/schedules/scheduledPrefill/config'
  const config = await first.call<object>('GET', configPath)
  await first.send('PUT', configPath, { ...config, persistenceMode: mode })
  const start = { service: 'gamma' }
  const session = await first.call<DaemonSession>('POST', `${persistentPath}/start`, start)
  const pid = pidOf(session.id)
  await first.end('SIGTERM')
  expect(isAlive(pid)).toBe(false)

  const second = await service(root, origin.url)
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
