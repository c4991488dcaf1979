import { Database } from 'bun:sqlite'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { atEnd } from '../../../test/support/cleanup.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { practiceGame, practiceOrigin } from '../../../test/support/practice-origin.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { HistoryEntry, PrefillSessionDto } from '../administration/model.ts'
import type { PrefillAccount } from '../accounts/model.ts'
import type { CredentialChallenge, DaemonSession } from './model.ts'

const parent = join(import.meta.dir, '../../../test/support/prefill-parent.ts')

/** A service in a process of its own, on this folder. */
async function service(root: string, origin: string) {
  const child = Bun.spawn([process.execPath, parent, root, origin], { stdout: 'pipe' })
  const exited = child.exited
  // Not by force: its daemons would go on.
  atEnd(async () => {
    child.kill('SIGTERM')
    await exited
  })
  const { value } = await child.stdout.getReader().read()
  const host = `127.0.0.1:${new TextDecoder().decode(value).trim()}`
  const call = async <T>(method: string, path: string, body?: object, headers = {}): Promise<T> => {
    const init = { method, headers: { 'content-type': 'application/json', ...headers } }
    const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) }
    const answer = await fetch(`http://${host}${path}`, sent)
    // Given by the test.
    return (await answer.json()) as T
  }
  return {
    host,
    call,
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

test('after a kill two accounts are found again, signed in; the end of one leaves the other', async () => {
  const root = tempFolder('restart-accounts')
  for (const name of ['data', 'logs', 'cache']) mkdirSync(join(root, name))
  const login = { displayName: 'a player', steps: [{ credentialType: 'username' as const }] }
  const origin = practiceOrigin({ games: [practiceGame('1')], login })
  const first = await service(root, origin.url)
  const accounts = async (from: typeof first) =>
    (await from.call<PrefillAccount[]>('GET', accountsPath)).filter(
      ({ platform }) => platform === 'alpha',
    )
  await first.call('POST', `${accountsPath}/alpha/start`)
  const { id } = await first.call<PrefillAccount>('POST', accountsPath, { platform: 'alpha' })
  for (const one of ['alpha', id]) {
    const path = `${accountsPath}/${one}/login`
    const { challengeId } = await first.call<CredentialChallenge>('POST', path)
    const answer = { challengeId, credential: `name-${one}` }
    await fetch(`http://${first.host}${path}/credential`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(answer),
    })
  }
  const states = async (from: typeof first) =>
    (await accounts(from)).map(({ state, name }) => `${state} ${name}`)
  const both = ['signedIn name-alpha', `signedIn name-${id}`]
  await eventually(async () => Bun.deepEquals(await states(first), both), 'both are signed in')
  const before = await accounts(first)
  await first.end('SIGKILL')

  const second = await service(root, origin.url)
  await eventually(async () => Bun.deepEquals(await states(second), both), 'both are found again')
  expect((await accounts(second)).map(({ sessionId }) => sessionId)).toEqual(
    before.map(({ sessionId }) => sessionId),
  )
  await fetch(`http://${second.host}${accountsPath}/${id}`, { method: 'DELETE' })
  expect(await states(second)).toEqual(['signedIn name-alpha'])
  await second.end('SIGTERM')

  // Daemons end with the service; the session of the account that is left starts again.
  const third = await service(root, origin.url)
  const isBack = async () =>
    (await accounts(third)).map(({ state }) => state).join() === 'signedOut'
  await eventually(isBack, 'the session is started again')
})

test.each([
  ['keepAcrossRestart', 1],
  ['killOnRestart', 0],
] as const)('after a stop with %s there are %d persistent sessions', async (mode, count) => {
  const { root, origin, pidOf } = fixture()
  const first = await service(root, origin.url)
  const configPath = '/api/system/schedules/scheduledPrefill/config'
  const config = await first.call<object>('GET', configPath)
  const save = { method: 'PUT', body: JSON.stringify({ ...config, persistenceMode: mode }) }
  const headers = { 'content-type': 'application/json' }
  await fetch(`http://${first.host}${configPath}`, { ...save, headers })
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
