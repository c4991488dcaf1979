import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/core/config.ts'
import { systemClock } from '../../src/core/lib/clock.ts'
import type { DaemonEvent } from '../../src/prefill/protocol/envelopes.ts'
import { isTerminal, readProgress } from '../../src/prefill/protocol/progress.ts'
import { createConnectDaemon } from '../../src/prefill/transports/connection.ts'
import { createContainerTransport } from '../../src/prefill/transports/container/transport.ts'
import type {
  RunningDaemon,
  SessionSpec,
  Transport,
} from '../../src/prefill/transports/contract.ts'
import { practiceGame, practiceHost, practiceOrigin } from '../support/practice-origin.ts'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { labAccount, Larder } from '../lab/larder.ts'
import { eventually } from '../support/eventually.ts'
import { keptCredentials } from '../support/kept-credentials.ts'
import { quietLog } from '../support/quiet-log.ts'
import { docker } from './docker.ts'
import { Engine } from './engine.ts'
import { cachedGames, expireGrants, guestOf, objectCount } from './prefill-run.ts'
import { packPrograms, programs } from './program-image.ts'

/** Daemons in real containers, only when asked for: it needs an engine. */
const isAsked = process.env['LARDER_TEST_IMAGE'] === '1'
const setUpTimeoutMs = 120_000

const mark = `larder-prefill-test-${process.pid}`
const image = `${mark}:daemon`
const root = mkdtempSync(join(tmpdir(), 'larder-prefill-'))
const installation = crypto.randomUUID()
const engine = new Engine()
const never = new AbortController().signal
const connect = createConnectDaemon({ clock: systemClock, log: quietLog })

/** The transport as a new process of the service would have it. */
function open(environment: Record<string, string> = {}, settleMs = 1000): Transport {
  const config = readConfig({
    DATA_PATH: root,
    Prefill__GammaDockerImage: image,
    // A test that runs in a container itself starts an engine that sees its own files.
    Prefill__HostDataPath: root,
    // An engine that the test started has no bridge.
    Prefill__NetworkMode: 'host',
    ...(process.env['DOCKER_HOST'] !== undefined && { DOCKER_HOST: process.env['DOCKER_HOST'] }),
    ...environment,
  })
  const findCache = () => Promise.resolve({ address: null, source: 'none' } as const)
  const pausesMs = { retryMs: 1000, settleMs, renewalMs: 10_000 }
  const parts = { config, log: quietLog, clock: systemClock, findCache, installation, pausesMs }
  return createContainerTransport({ ...parts, credentials: keptCredentials() })
}

const spec = (digit: string, isPersistent: boolean): SessionSpec => ({
  platform: 'gamma',
  accountId: null,
  sessionId: digit.repeat(16),
  userId: crypto.randomUUID(),
  isPersistent,
  maxLifetimeSeconds: null,
})

/** The answer of a daemon to `status`, over its socket and with its secret. */
async function statusOf(daemon: RunningDaemon): Promise<unknown> {
  const connection = await connect(daemon, { onEvent() {}, onLost() {} }, never)
  try {
    return (await connection.request('status', {}, 10_000)).data
  } finally {
    connection.close()
  }
}

const ready = { isLoggedIn: true, isInitialized: true }

/** Runs a prefill of everything; resolves to the states of its progress, in order. */
async function prefill(daemon: RunningDaemon): Promise<string[]> {
  const states: string[] = []
  const end = Promise.withResolvers<void>()
  const onEvent = ({ type, data }: DaemonEvent) => {
    if (type !== 'progress') return
    const { state } = readProgress(data)
    if (states.at(-1) !== state) states.push(state)
    if (isTerminal(state)) end.resolve()
  }
  const connection = await connect(daemon, { onEvent, onLost: end.reject }, never)
  try {
    await connection.request('prefill', { all: 'true' }, 10_000)
    await end.promise
    return states
  } finally {
    connection.close()
  }
}
const label = `label=larder.prefill.installation=${installation}`
const containers = async () =>
  (await docker('ps', '--all', '--filter', label, '--format', '{{.Names}}')).split('\n')
const volumes = async () =>
  (await docker('volume', 'ls', '--quiet')).split('\n').filter((line) => line !== '')
const folders = () => readdirSync(join(root, 'prefill/sessions'))

/** Stands in for a platform: one game with one object. */
const origin = practiceOrigin({ games: [practiceGame('g1', { objects: 1, bytes: 200_000 })] })

/** Bun, and our own daemon with everything that it imports in one file. */
async function packDaemon(): Promise<void> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, '../../src/prefill/daemon/main.ts')],
    target: 'bun',
  })
  await packPrograms({
    tag: image,
    programs: { bun: process.execPath, ...programs('sh', 'getent') },
    files: { '/app/daemon.js': (await built.outputs[0]?.text()) ?? '' },
    changes: [
      'ENTRYPOINT ["/bin/bun", "/app/daemon.js", "gamma"]',
      'VOLUME ["/app/Config", "/app/.cache"]',
      `ENV PREFILL_PRACTICE_ORIGIN=${origin.url}`,
    ],
  })
}

const persistentPath = '/api/system/prefill/persistent'
interface PersistentRow {
  sessionId: string
  isPrefilling: boolean
}

/** The service with daemons of gamma in containers of this image. */
function startService(image: string, cache: string): Promise<Larder> {
  const dataPath = join(root, 'service')
  for (const folder of ['cache', 'logs']) mkdirSync(join(root, folder), { recursive: true })
  return Larder.start({
    dataPath,
    cachePath: join(root, 'cache'),
    sources: [{ name: 'plain', logPath: join(root, 'logs') }],
    environment: {
      Prefill__Gamma__Transport: 'container',
      Prefill__GammaDockerImage: image,
      Prefill__NetworkMode: 'host',
      Prefill__HostDataPath: dataPath,
      Prefill__LancacheIp: cache,
      DOCKER_HOST: process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock',
    },
  })
}

const containersNamed = (name: string) =>
  docker('ps', '--all', '--filter', `name=${name}`, '--format', '{{.Names}}')

function tests(): void {
  let volumesBefore: string[]

  beforeAll(async () => {
    await engine.open()
    engine.owns(image)
    await packDaemon()
    volumesBefore = await volumes()
  }, setUpTimeoutMs)

  afterAll(async () => {
    for (const name of await containers()) if (name !== '') await docker('rm', '--force', name)
    await engine.close()
    rmSync(root, { recursive: true, force: true })
  }, setUpTimeoutMs)

  test('a session has a container of its own and leaves nothing behind', async () => {
    const transport = open()
    expect(await transport.isAvailable()).toBe(true)
    const daemon = await transport.start(spec('1', false), never)
    expect(await containers()).toEqual(['gamma-prefill-1111111111111111'])
    expect(await statusOf(daemon)).toMatchObject(ready)
    expect((await prefill(daemon)).slice(-2)).toEqual(['app_completed', 'completed'])
    expect(origin.content).toMatchObject([{ host: practiceHost, path: '/size/200000/g1/0' }])
    const wrong = statusOf({ ...daemon, secret: 'wrong' })
    expect(await wrong.catch(({ reason }) => reason)).toBe('secret')
    await transport.remove(daemon, { isForced: false })
    expect(await containers()).toEqual([''])
    expect(await volumes()).toEqual(volumesBefore)
    expect(folders()).toEqual([])
  })

  test('a persistent one is adopted by the next process, all others are removed', async () => {
    const before = open()
    const kept = await before.start(spec('2', true), never)
    const orphan = await before.start(spec('3', false), never)
    // The process is gone without a word: the next one knows nothing of them.
    const after = open()
    const [adopted, ...more] = await after.adopt('gamma')
    expect(more).toEqual([])
    expect(adopted).toMatchObject({ ...kept })
    expect(await containers()).toEqual(['gamma-prefill-persistent'])
    expect(folders()).toEqual([kept.sessionId])
    if (adopted === undefined) throw new Error('nothing was adopted')
    expect(await statusOf(adopted)).toMatchObject(ready)

    expect(await after.removeLogin({ platform: 'gamma', accountId: null })).toBe('InUse')
    await after.remove(adopted, { isForced: true })
    // Twice is no error: the other process may have been faster.
    await before.remove(orphan, { isForced: true })
    await after.remove(adopted, { isForced: true })
    expect(await after.removeLogin({ platform: 'gamma', accountId: null })).toBe('Removed')
    expect(await after.removeLogin({ platform: 'gamma', accountId: null })).toBe('NotFound')
    expect(await containers()).toEqual([''])
    expect(folders()).toEqual([])
  })

  test('two accounts of a platform run side by side, and removing one leaves the other', async () => {
    const before = open()
    const accountId = 'a1b2c3d4'
    const first = await before.start(spec('7', true), never)
    const second = await before.start({ ...spec('8', true), accountId }, never)
    const running = await containers()
    expect(running).toHaveLength(2)
    for (const daemon of [first, second]) expect(await statusOf(daemon)).toMatchObject(ready)
    const wrong = statusOf({ ...first, secret: second.secret })
    expect(await wrong.catch(({ reason }) => reason)).toBe('secret')

    const after = open()
    const adopted = await after.adopt('gamma')
    const accounts = adopted.map((daemon) => [daemon.sessionId, daemon.accountId])
    expect(new Map(accounts as [string, string | null][])).toEqual(
      new Map([
        [first.sessionId, null],
        [second.sessionId, accountId],
      ]),
    )
    await after.remove(second, { isForced: true })
    expect(await after.removeLogin({ platform: 'gamma', accountId })).toBe('Removed')
    expect(await containers()).toEqual(['gamma-prefill-persistent'])
    expect(await statusOf(first)).toMatchObject(ready)
    expect(await after.removeLogin({ platform: 'gamma', accountId: null })).toBe('InUse')
    await after.remove(first, { isForced: true })
    expect(await after.removeLogin({ platform: 'gamma', accountId: null })).toBe('Removed')
    expect(await containers()).toEqual([''])
  })

  test('a stopped predecessor gives its name to the next one', async () => {
    const transport = open()
    const first = await transport.start(spec('4', true), never)
    await docker('stop', '--time', '0', first.name)
    const second = await transport.start(spec('5', true), never)
    expect(second.containerId).not.toBe(first.containerId)
    expect(await statusOf(second)).toMatchObject(ready)
    await transport.remove(second, { isForced: true })
    await transport.removeLogin({ platform: 'gamma', accountId: null })
    await transport.remove(first, { isForced: true })
  })

  test('a daemon that ends at once is reported with its output', async () => {
    const broken = `${mark}:broken`
    engine.owns(broken)
    const from = await docker('create', image)
    await docker('commit', '--change', 'ENV LOG_LEVEL=loud', from, broken)
    await docker('rm', '--volumes', from)
    // A busy machine takes a while to start the process that ends.
    const transport = open({ Prefill__GammaDockerImage: broken }, 30_000)
    const failure = await transport.start(spec('6', false), never).catch(String)
    expect(failure).toContain('ended with exit code 78')
    expect(failure).toContain('LOG_LEVEL')
    expect(await containers()).toEqual([''])
    expect(await volumes()).toEqual(volumesBefore)
    expect(folders()).toEqual([])
  })

  test('an image that is nowhere is named', async () => {
    const transport = open({ Prefill__GammaDockerImage: `127.0.0.1:1/${mark}:none` })
    const failure = await transport.start(spec('8', false), never).catch(String)
    expect(failure).toContain(`${mark}:none cannot be pulled`)
    expect(folders()).toEqual([])
  })

  test('a run of 200 objects through nginx survives kills; a guest’s ends in time', async () => {
    const { address, requested, states, originRequests, stop } = await cachedGames(origin, root)
    const slow = `${mark}:slow`
    engine.owns(slow)
    const from = await docker('create', image)
    await docker('commit', '--change', 'ENV PREFILL_BANDWIDTH_LIMIT=1000000', from, slow)
    await docker('rm', '--volumes', from)
    const first = await startService(slow, address)
    const visitor = await first.firstSignIn()

    const guest = await guestOf(first, visitor)
    const session = `/api/gamma-daemon/sessions/${guest.sessionId}`
    await guest.visitor.write('POST', `${session}/selected-apps`, { appIds: ['guest'] })
    const ended = guest.visitor.request('POST', `${session}/prefill`, {})
    await eventually(() => requested('guest') > 2, 'the guest’s run goes on')
    const name = `gamma-prefill-${guest.sessionId}`
    expect(await docker('inspect', '--format', '{{.Config.Env}}', name)).toMatch(
      /PREFILL_MAX_LIFETIME_SECONDS=\d+/,
    )
    const run = { service: 'gamma', appIds: ['run'] }
    await visitor.write('POST', `${persistentPath}/start`, { service: 'gamma' })
    const lost = visitor.request('POST', `${persistentPath}/prefill`, run).catch(() => null)
    expireGrants(first.dataPath)
    expect(await (await ended).json()).toMatchObject({ success: false })
    await eventually(async () => (await containersNamed(name)) === '', 'its container is removed')
    await eventually(() => requested('run') > 5, 'a part of the run is done')
    await first.kill()
    await lost

    const second = await startService(image, address)
    const again = new Visitor(second.url)
    await again.signIn(installationKey(second.dataPath), labAccount)
    const persistent = async () => (await again.read<PersistentRow[]>(`${persistentPath}/list`))[0]
    await eventually(
      async () => (await persistent())?.isPrefilling === true,
      'it is followed again',
    )
    await docker('kill', '--signal=KILL', 'gamma-prefill-persistent')
    await eventually(async () => (await persistent())?.isPrefilling !== true, 'the run has failed')
    await again.write('POST', `${persistentPath}/start`, { service: 'gamma' })
    const resumed = await again.request('POST', `${persistentPath}/prefill`, run)
    expect(await resumed.json()).toMatchObject({ success: true })
    expect(await states('run')).toEqual(new Set(['HIT']))
    expect(originRequests('run')).toBe(objectCount)
    // Only what was under way at the kill was requested twice: eight requests at the same time.
    expect(requested('run')).toBeLessThanOrEqual(objectCount + 8)

    const ends = await again.read<{ sessions: { terminationReason: string | null }[] }>(
      '/api/prefill-admin/sessions',
    )
    expect(ends.sessions.map(({ terminationReason }) => terminationReason)).toContain(
      'Prefill permission ended',
    )
    const row = await persistent()
    await again.write('POST', `${persistentPath}/stop`, { sessionId: row?.sessionId })
    await again.write('POST', `${persistentPath}/clear-logins`)
    expect(await containersNamed('gamma-prefill-')).toBe('')
    expect(await volumes()).toEqual(volumesBefore)
    expect(readdirSync(join(second.dataPath, 'prefill/sessions'))).toEqual([])
    await second.stop()
    await stop()
  }, 180_000)

  test('diagnostics run inside and name what is missing', async () => {
    const transport = open()
    const daemon = await transport.start(spec('7', false), never)
    const found = await transport.diagnose?.(daemon)
    expect(found).toMatchObject({
      internetConnectivity: false,
      internetConnectivityIpv4: null,
      useHostNetworking: true,
      lancacheIpInjected: null,
      lancacheIpSource: 'none',
    })
    expect(found?.internetConnectivityError).toContain('no program')
    expect(found?.dnsResults).toHaveLength(2)
    await transport.stop()
    expect(await containers()).toEqual([''])
    expect(await volumes()).toEqual(volumesBefore)
  })
}

if (isAsked) describe('daemons in containers', tests)
