import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'bun:test'
import { countIn, filesBelow, findIn } from '../../../test/lab/secret-search.ts'
import { testApp } from '../../../test/support/app.ts'
import { epsilonDaemons, meteor, meteorBytes } from '../../../test/support/epsilon-daemon.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { practiceGame, practiceOrigin } from '../../../test/support/practice-origin.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import type { CredentialChallenge, DaemonSession, PrefillResult } from './model.ts'
import { isAlive } from '../../../test/support/postgres.ts'

/** An application whose own daemons prefill from an origin of practice. */
async function practiceApp(games = [practiceGame('a'), practiceGame('b')]) {
  const origin = practiceOrigin({ games })
  const app = await testApp({
    practiceOrigin: origin.url,
    environment: {
      Prefill__LancacheIp: `127.0.0.1:${origin.port}`,
      NODE_EXTRA_CA_CERTS: 'test/support/tls/localhost.cert.pem',
    },
  })
  const owner = await signInOwner(app)
  const hub = await hubClient(app.listen(), owner, 'gamma')
  const folder = join(app.root, 'data', 'prefill', 'sessions')
  const pidOf = (id: string) =>
    (JSON.parse(readFileSync(join(folder, id, 'process.json'), 'utf8')) as { pid: number }).pid
  return { app, origin, owner, hub, folder, pidOf }
}

test('a daemon of our own prefills through the cache, and ends with its session', async () => {
  const { app, origin, owner, hub, folder, pidOf } = await practiceApp()
  const session = await hub.call<DaemonSession>('CreateSessionAsync')
  expect(session).toMatchObject({
    authState: 'Authenticated',
    isShared: false,
    cacheAddress: '127.0.0.1',
    cacheAddressSource: 'config',
  })
  const pid = pidOf(session.id)
  expect(isAlive(pid)).toBe(true)
  const path = `/api/gamma-daemon/sessions/${session.id}`
  expect((await (await owner.get(`${path}/games`)).json()) as object).toMatchObject([
    { appId: 'a' },
    { appId: 'b' },
  ])
  const answer = await owner.post(`${path}/prefill`, { all: true })
  expect((await answer.json()) as PrefillResult).toMatchObject({ success: true })
  expect(origin.content).toHaveLength(6)
  const rows = await owner.get(`/api/prefill-admin/sessions/${session.id}/history`)
  expect((await rows.json()) as object[]).toMatchObject([
    { status: 'Completed', bytesDownloaded: 3000 },
    { status: 'Completed', bytesDownloaded: 3000 },
  ])
  await hub.call('EndSessionAsync', session.id)
  await eventually(() => !isAlive(pid), 'the daemon ends')
  expect(readdirSync(folder)).toEqual([])
  expect((await (await owner.get('/api/prefill-admin/sessions')).json()) as object).toMatchObject({
    lastPrefillCacheIp: '127.0.0.1',
    lastPrefillCacheIpSource: 'config',
  })
  expect(app.logLines.join('')).not.toContain('PREFILL_SOCKET_SECRET')
})

test('a daemon that dies in a run fails it and its session; the next one resumes', async () => {
  const { origin, owner, hub, pidOf } = await practiceApp()
  const held = Promise.withResolvers<Response>()
  origin.intercept((path) => (path.includes('/b/') ? held.promise : undefined))
  const { id } = await hub.call<DaemonSession>('CreateSessionAsync')
  const ended = owner.post(`/api/gamma-daemon/sessions/${id}/prefill`, { all: true })
  await eventually(() => origin.content.length > 3, 'the second game is requested')
  process.kill(pidOf(id), 'SIGKILL')
  const errorMessage = 'Socket connection lost unexpectedly'
  expect((await (await ended).json()) as object).toMatchObject({ success: false, errorMessage })
  await hub.live.sync()
  const states = hub.received<{ state: string }>('GammaPrefillStateChanged')
  expect(states.map(({ state }) => state)).toEqual(['started', 'failed'])
  expect((await hub.call<DaemonSession[]>('GetMySessions'))[0]).toMatchObject({
    status: 'Error',
    errorMessage,
    isPrefilling: false,
    lastPrefillStatus: 'failed',
  })
  const rows = await owner.get(`/api/prefill-admin/sessions/${id}/history`)
  expect((await rows.json()) as object[]).toMatchObject([
    { appId: 'b', status: 'Failed', errorMessage },
    { appId: 'a', status: 'Completed' },
  ])
  const status = await owner.get('/api/gamma-daemon/status')
  expect((await status.json()) as object).toMatchObject({
    activeSessions: 0,
    authenticatedSessions: 0,
  })

  held.resolve(new Response(new Uint8Array(1000)))
  origin.intercept(() => undefined)
  const again = await hub.call<DaemonSession>('CreateSessionAsync')
  expect(again.id).not.toBe(id)
  expect(hub.received('GammaDaemonSessionTerminated')).toEqual([
    { sessionId: id, reason: 'Replaced' },
  ])
  const next = await owner.post(`/api/gamma-daemon/sessions/${again.id}/prefill`, { all: true })
  expect((await next.json()) as object).toMatchObject({ success: true })
})

test('a daemon that ends while it starts is noticed at once', async () => {
  const app = await testApp({ practiceOrigin: 'not an address' })
  const owner = await signInOwner(app)
  const startedMs = performance.now()
  const answer = await owner.post('/api/system/prefill/persistent/start', { service: 'gamma' })
  expect(answer.status).toBe(503)
  expect((await answer.json()) as object).toMatchObject({
    error: 'The daemon ended (78); Larder’s log has its last lines',
  })
  expect(performance.now() - startedMs).toBeLessThan(30_000)
  expect(app.logLines.join('')).toContain('PREFILL_PRACTICE_ORIGIN: ')
  expect(readdirSync(join(app.root, 'data', 'prefill', 'sessions'))).toEqual([])
})

test('a daemon of our own signs in to Xbox and prefills', async () => {
  const { xbox } = epsilonDaemons()
  const app = await testApp({
    environment: { ...xbox.environment, Prefill__LancacheIp: `127.0.0.1:${xbox.port}` },
  })
  const owner = await signInOwner(app)
  const hub = await hubClient(app.listen(), owner, 'epsilon')
  const { id } = await hub.call<DaemonSession>('CreateSessionAsync')
  const challenge = await hub.call<CredentialChallenge>('StartLoginAsync', id)
  expect(challenge).toMatchObject({ credentialType: 'device-code', userCode: 'CODE1' })
  const session = async () => (await hub.call<DaemonSession[]>('GetMySessions'))[0]
  await eventually(async () => (await session())?.authState === 'Authenticated', 'signed in')
  const path = `/api/epsilon-daemon/sessions/${id}`
  const answer = await owner.post(`${path}/prefill`, { recent: true })
  expect((await answer.json()) as PrefillResult).toMatchObject({ success: true })
  const rows = await owner.get(`/api/prefill-admin/sessions/${id}/history`)
  expect((await rows.json()) as object[]).toContainEqual(
    expect.objectContaining({
      appId: meteor,
      appName: 'Meteor',
      status: 'Completed',
      bytesDownloaded: meteorBytes,
    }) as object,
  )
  expect(xbox.faults).toEqual([])
  const secrets = new Map([['a token', 'secret-']])
  expect(countIn(app.logLines.join(''), secrets)).toEqual({})
  await hub.call('EndSessionAsync', id)
  expect(findIn(app.root, filesBelow(app.root), secrets)).toEqual({})
})

test('a platform without sessions has its limits', async () => {
  const app = await testApp()
  const owner = await signInOwner(app)
  const status = await owner.get('/api/delta-daemon/status')
  expect((await status.json()) as object).toEqual({
    containerRuntimeAvailable: true,
    activeSessions: 0,
    authenticatedSessions: 0,
    maxSessionsPerUser: 1,
    sessionTimeoutMinutes: 120,
  })
})

test('the end of the service ends its daemons', async () => {
  const { app, owner, hub, folder, pidOf } = await practiceApp()
  const temporary = await hub.call<DaemonSession>('CreateSessionAsync')
  const started = await owner.post('/api/system/prefill/persistent/start', { service: 'gamma' })
  const persistent = (await started.json()) as DaemonSession
  const pids = [pidOf(temporary.id), pidOf(persistent.id)]
  await app.groups.prefill.stop()
  await eventually(() => !pids.some(isAlive), 'the daemons end')
  expect(readdirSync(folder)).toEqual([])
})

test('a persistent session that is started again still knows what it downloaded', async () => {
  const { owner, origin } = await practiceApp()
  const call = async (path: string, body: object) =>
    owner.post(`/api/system/prefill/persistent/${path}`, body)
  const { id } = (await (await call('start', { service: 'gamma' })).json()) as DaemonSession
  await call('prefill', { service: 'gamma', all: true })
  await call('stop', { sessionId: id })
  await call('start', { service: 'gamma' })
  const answer = await call('prefill', { service: 'gamma', all: true })
  expect((await answer.json()) as PrefillResult).toMatchObject({ success: true })
  expect(origin.content).toHaveLength(6)
})

test('a persistent session that is stopped leaves no sign-in on disk', async () => {
  const { app, owner } = await practiceApp()
  const started = await owner.post('/api/system/prefill/persistent/start', { service: 'beta' })
  const { id } = (await started.json()) as DaemonSession
  // As of a daemon that keeps the file when it signs out.
  const file = join(app.root, 'data', 'prefill', 'builtin', 'beta', 'config', 'betaSignIn.json')
  writeFileSync(file, '{}')
  await owner.post('/api/system/prefill/persistent/stop', { sessionId: id })
  expect(existsSync(file)).toBe(false)
})

test('a daemon gets further authorities; its secret is in no file and no line of the log', async () => {
  const { app, owner, pidOf } = await practiceApp()
  const started = await owner.post('/api/system/prefill/persistent/start', { service: 'gamma' })
  const { id } = (await started.json()) as DaemonSession
  const environment = readFileSync(`/proc/${pidOf(id)}/environ`, 'utf8').split('\0')
  const authorities = resolve('test/support/tls/localhost.cert.pem')
  expect(environment).toContain(`NODE_EXTRA_CA_CERTS=${authorities}`)
  const prefix = 'PREFILL_SOCKET_SECRET='
  const secret = environment.find((line) => line.startsWith(prefix))?.slice(prefix.length) ?? ''
  expect(secret.length).toBeGreaterThan(40)
  const secrets = new Map([['secret', secret]])
  expect(findIn(app.root, filesBelow(app.root), secrets)).toEqual({})
  expect(countIn(app.logLines.join(''), secrets)).toEqual({})
})
