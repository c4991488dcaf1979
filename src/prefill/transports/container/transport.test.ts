import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DaemonEngine } from '../../../../test/support/daemon-engine.ts'
import { keptCredentials } from '../../../../test/support/kept-credentials.ts'
import { quietLog } from '../../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { readConfig } from '../../../core/config.ts'
import { systemClock } from '../../../core/lib/clock.ts'
import type { CacheAddress, SessionSpec } from '../contract.ts'
import { createContainerTransport } from './transport.ts'

const installation = '0f0e0d0c-0000-4000-8000-000000000001'
const image = 'registry.test:5000/some/engine:2'
const cache: CacheAddress = { address: '10.1.2.3', source: 'detected' }
const never = new AbortController().signal
let engine: DaemonEngine
let dataPath: string

beforeEach(() => {
  dataPath = tempFolder('containers')
  engine = new DaemonEngine(dataPath)
  engine.registry.add(image)
})
afterEach(() => engine.stop())

function open(environment: Record<string, string> = {}, own = installation) {
  const config = readConfig({
    DATA_PATH: dataPath,
    DOCKER_HOST: engine.address,
    Prefill__GammaDockerImage: image,
    Prefill__HostDataPath: '/srv/larder',
    ...environment,
  })
  return createContainerTransport({
    config,
    log: quietLog,
    clock: systemClock,
    findCache: async () => cache,
    credentials: keptCredentials(),
    installation: own,
    pausesMs: { retryMs: 1, settleMs: 0, renewalMs: 200 },
  })
}

const spec = (over: Partial<SessionSpec> = {}): SessionSpec => ({
  platform: 'gamma',
  accountId: null,
  sessionId: '00112233aabbccdd',
  userId: '6f1c0000-0000-4000-8000-000000000009',
  isPersistent: false,
  maxLifetimeSeconds: null,
  ...over,
})
const persistent = spec({ isPersistent: true })
const further = spec({ isPersistent: true, accountId: '0a1b2c3d', sessionId: 'f'.repeat(16) })
const folder = (id = spec().sessionId) => join(dataPath, 'prefill/sessions', id)
const inUse = (name: string) => ({ status: 409, message: `The name "/${name}" is already in use` })

describe('a session of its own container', () => {
  test('gets its folders, its secret and the address of the cache', async () => {
    const daemon = await open().start(spec({ maxLifetimeSeconds: 7200 }), never)
    const { body } = engine.named('gamma-prefill-00112233aabbccdd') ?? {}
    expect(body).toMatchObject({
      Image: image,
      Cmd: ['daemon'],
      HostConfig: {
        NetworkMode: 'bridge',
        Binds: [
          '/srv/larder/prefill/sessions/00112233aabbccdd/commands:/commands',
          '/srv/larder/prefill/sessions/00112233aabbccdd/responses:/responses',
        ],
        Sysctls: { 'net.ipv6.conf.all.disable_ipv6': '1' },
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        Memory: 2 * 1024 ** 3,
        PidsLimit: 512,
      },
    })
    expect(daemon.secret).toMatch(/^[0-9A-F]{64}$/)
    expect(body?.Env).toContain(`PREFILL_SOCKET_SECRET=${daemon.secret}`)
    expect(body?.Env).toContain('PREFILL_MAX_LIFETIME_SECONDS=7200')
    expect(body?.Env).toContain('LANCACHE_IP=10.1.2.3')
    expect(daemon.address).toEqual({ kind: 'unix', path: join(folder(), 'responses/daemon.sock') })
    expect(statSync(folder()).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder(), 'responses')).mode & 0o777).toBe(0o777)
  })

  test('gets the port of the cache where one is configured', async () => {
    await open({ Prefill__LancacheIp: '10.1.2.3:8081' }).start(spec(), never)
    const { body } = engine.named('gamma-prefill-00112233aabbccdd') ?? {}
    expect(body?.Env).toContain('LANCACHE_IP=10.1.2.3:8081')
  })

  test('keeps no login; a persistent one has a volume and a host name that stay', async () => {
    const transport = open()
    await transport.start(spec(), never)
    expect(engine.volumes.size).toBe(0)
    await transport.start(spec({ isPersistent: true, sessionId: '1'.repeat(16) }), never)
    expect([...engine.volumes]).toEqual(['larder-0f0e0d0c-gamma-config'])
    expect(engine.named('gamma-prefill-persistent')?.body['Hostname']).toBe(
      'gamma-prefill-persistent',
    )
    expect(await transport.removeLogin(persistent)).toBe('Removed')
    expect(await transport.removeLogin(persistent)).toBe('NotFound')
    engine.refuse('DELETE /volumes/larder-0f0e0d0c-gamma-config', { status: 409, message: 'used' })
    expect(await transport.removeLogin(persistent)).toBe('InUse')
  })

  test('a persistent one can read the sign-in of the container before it', async () => {
    const transport = open()
    const secretOf = async (over: Partial<SessionSpec>) => {
      const daemon = await transport.start(spec(over), never)
      await transport.remove(daemon, { isForced: true })
      return daemon.secret
    }
    const first = await secretOf({ isPersistent: true })
    expect(await secretOf({ isPersistent: true, sessionId: '1'.repeat(16) })).toBe(first)
    expect(await secretOf({})).not.toBe(first)
    await transport.removeLogin(persistent)
    expect(await secretOf({ isPersistent: true })).not.toBe(first)
  })

  test('a further account has a container, a volume and a secret of its own', async () => {
    const transport = open()
    const first = await transport.start(persistent, never)
    const second = await transport.start(further, never)
    expect(second.name).toBe('gamma-prefill-persistent-0a1b2c3d')
    expect(engine.named(second.name)?.body).toMatchObject({
      Hostname: second.name,
      Labels: { 'larder.prefill.account': '0a1b2c3d', 'larder.prefill.persistent': 'true' },
    })
    expect(second.secret).not.toBe(first.secret)
    const volumes = ['larder-0f0e0d0c-gamma-config', 'larder-0f0e0d0c-gamma-0a1b2c3d-config']
    expect([...engine.volumes]).toEqual(volumes)
    expect(await transport.removeLogin(further)).toBe('Removed')
    expect([...engine.volumes]).toEqual(volumes.slice(0, 1))
  })

  test('over TCP it is reached at the published port', async () => {
    const transport = open({ Prefill__UseTcp: 'true', Prefill__TcpHost: '192.0.2.7' })
    const daemon = await transport.start(spec(), never)
    expect(daemon.address).toEqual({ kind: 'tcp', host: '192.0.2.7', port: 49_155 })
    const { body } = engine.named(daemon.name) ?? {}
    expect(body?.HostConfig['PortBindings']).toEqual({
      '45555/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }],
    })
    expect(body?.Env.some((entry) => entry.startsWith('PREFILL_USE_SOCKET'))).toBe(false)
  })

  test('uses the network and the DNS server of the cache', async () => {
    const networks = { Networks: { bridge: { IPAddress: '172.17.0.5' } } }
    const dns = engine.add('lancache-dns', networks)
    const transport = open()
    await transport.start(spec(), never)
    const first = engine.named('gamma-prefill-00112233aabbccdd')
    expect(first?.body.HostConfig).toMatchObject({ NetworkMode: 'bridge', Dns: ['172.17.0.5'] })
    dns.body.HostConfig['NetworkMode'] = 'host'
    await transport.start(spec({ sessionId: '2'.repeat(16) }), never)
    const { HostConfig } = engine.named(`gamma-prefill-${'2'.repeat(16)}`)?.body ?? {}
    expect(HostConfig?.['NetworkMode']).toBe('host')
    expect(HostConfig).not.toHaveProperty('Dns')
    expect(HostConfig).not.toHaveProperty('Sysctls')
  })

  test('that ends at once is an error with its last lines, without the secret', async () => {
    engine.exitsWith = 3
    const create = engine.add.bind(engine)
    engine.add = (name, body) => {
      const container = create(name, body)
      const secret = container.body.Env.find((it) => it.includes('SECRET'))
      container.output = `cannot listen\n${secret}\n`
      return container
    }
    const failure = await open().start(spec(), never).catch(String)
    expect(failure).toContain('ended with exit code 3: cannot listen')
    expect(failure).toContain('[secret]')
    expect(failure).not.toMatch(/[0-9A-F]{64}/)
    expect(engine.containers).toEqual([])
    expect(existsSync(folder())).toBe(false)
  })

  test('cancelled before it was created leaves nothing behind', async () => {
    const work = open().start(spec(), AbortSignal.abort())
    expect(await work.catch(({ name }) => name)).toBe('AbortError')
    expect(engine.containers).toEqual([])
    expect(existsSync(folder())).toBe(false)
  })
})

describe('images', () => {
  test('that cannot be pulled are used as they are', async () => {
    engine.registry.clear()
    engine.images.add(image)
    expect((await open().start(spec(), never)).containerId).not.toBeNull()
    expect(engine.calls).toContain('POST /images/create')
  })

  test('of a registry that falls silent are used as they are', async () => {
    engine.images.add(image)
    engine.isSilent = true
    expect((await open().start(spec(), never)).containerId).not.toBeNull()
  })

  test('that are nowhere are named in the refusal', async () => {
    engine.registry.clear()
    const failure = open().start(spec(), never)
    expect(failure).rejects.toMatchObject({ reason: 'unavailable' })
    expect(await failure.catch(String)).toContain(image)
  })
})

describe('a name that is in use', () => {
  const name = 'gamma-prefill-persistent'

  test('is waited for while its container is being removed', async () => {
    engine.refuse('POST /containers/create', inUse(name), inUse(name))
    expect((await open().start(persistent, never)).name).toBe(name)
    expect(engine.calls.filter((call) => call === 'POST /containers/create')).toHaveLength(3)
  })

  test('is freed when one of our own containers keeps it', async () => {
    const old = engine.add(name, { Labels: { 'larder.prefill.installation': installation } })
    const alike = engine.add(`${name}-too`)
    expect((await open().start(persistent, never)).containerId).not.toBe(old.id)
    expect(engine.containers).not.toContain(old)
    expect(engine.containers).toContain(alike)
  })

  test('is left to a container of somebody else', async () => {
    const foreign = engine.add(name)
    const failure = open().start(persistent, never)
    expect(failure).rejects.toMatchObject({ reason: 'busy' })
    await failure.catch(() => {})
    expect(engine.containers).toEqual([foreign])
    expect(existsSync(folder())).toBe(false)
  })
})

describe('removal', () => {
  test('removes the container and its folder', async () => {
    const transport = open()
    const daemon = await transport.start(spec(), never)
    await transport.remove(daemon, { isForced: false })
    expect(engine.calls).toContain(`POST /containers/${daemon.containerId}/stop`)
    expect(engine.containers).toEqual([])
    expect(readdirSync(join(dataPath, 'prefill/sessions'))).toEqual([])
  })

  test.each([
    ['is gone', 404, 'No such container'],
    ['is being removed', 409, 'removal of container is already in progress'],
  ])('of a container that %s is no error', async (_, status, message) => {
    const transport = open()
    const daemon = await transport.start(spec(), never)
    const path = `/containers/${daemon.containerId}`
    engine.refuse(`DELETE ${path}`, { status, message })
    engine.refuse(`POST ${path}/kill`, { status, message })
    await transport.remove(daemon, { isForced: true })
    expect(engine.calls.at(-1)).toBe(`DELETE ${path}`)
  })

  test('that the engine refuses is an error, and can be repeated', async () => {
    const transport = open()
    const daemon = await transport.start(spec(), never)
    engine.refuse(`DELETE /containers/${daemon.containerId}`, { status: 500, message: 'disk' })
    const removal = transport.remove(daemon, { isForced: true })
    expect(removal).rejects.toMatchObject({
      reason: 'failed',
      message: expect.stringMatching('disk'),
    })
    await removal.catch(() => {})
    await transport.remove(daemon, { isForced: true })
    expect(engine.containers).toEqual([])
  })

  test('at the end of the service spares what is persistent', async () => {
    const transport = open()
    await transport.start(spec(), never)
    await transport.start(spec({ isPersistent: true, sessionId: '3'.repeat(16) }), never)
    await transport.stop()
    expect(engine.containers.map(({ name }) => name)).toEqual(['gamma-prefill-persistent'])
  })
})

describe('after a restart', () => {
  test('a persistent daemon is found with its secret, its user and the cache', async () => {
    const before = await open().start(persistent, never)
    expect(await open().adopt('gamma')).toEqual([{ ...before, userId: persistent.userId }])
    expect(await open().adopt('delta')).toEqual([])
  })

  test('daemons of two accounts are told apart', async () => {
    const daemons = [await open().start(further, never), await open().start(persistent, never)]
    const adopted = daemons.map((daemon) => ({ ...daemon, userId: persistent.userId }))
    expect(await open().adopt('gamma')).toEqual(adopted.toReversed())
  })

  test('whatever the engine answers to a check of its presence', async () => {
    const { sessionId } = await open().start(persistent, never)
    engine.refuse('GET /version', { status: 503, message: 'starting' })
    expect(await open().adopt('gamma')).toMatchObject([{ sessionId }])
  })

  test('over TCP with the port that it is published at now', async () => {
    await open({ Prefill__UseTcp: 'true' }).start(persistent, never)
    const [daemon] = await open().adopt('gamma')
    expect(daemon?.address).toEqual({ kind: 'tcp', host: '127.0.0.1', port: 49_155 })
  })

  test('everything else of this installation is removed, and nothing of others', async () => {
    const transport = open()
    await transport.start(spec({ sessionId: '4'.repeat(16) }), never)
    const stopped = await transport.start(persistent, never)
    const found = engine.named(stopped.name)
    if (found !== undefined) found.isRunning = false
    const labels = {
      'larder.prefill.installation': 'another',
      'larder.prefill.service': 'gamma',
    }
    const other = engine.add('gamma-prefill-other', { Labels: labels })
    const alike = engine.add('gamma-prefill-abc')
    expect(await open().adopt('gamma')).toEqual([])
    expect(engine.containers).toEqual([other, alike])
    expect(readdirSync(join(dataPath, 'prefill/sessions'))).toEqual([])
    expect([...engine.volumes]).toEqual(['larder-0f0e0d0c-gamma-config'])
  })

  test('a container that disappears meanwhile is passed over', async () => {
    const { containerId } = await open().start(persistent, never)
    engine.refuse(`GET /containers/${containerId}/json`, { status: 404, message: 'gone' })
    expect(await open().adopt('gamma')).toEqual([])
  })
})

test('a proxy of the socket is enough, over TCP', async () => {
  const transport = open({ DOCKER_HOST: engine.proxyAddress })
  const daemon = await transport.start(spec(), never)
  await transport.remove(daemon, { isForced: false })
  expect(engine.containers).toEqual([])
  // Everything that such a proxy must allow.
  const lines = engine.calls.map((call) => call.replace(/[0-9a-f]{64}|images\/.*\/json/, '*'))
  expect([...new Set(lines)].toSorted()).toEqual([
    'DELETE /containers/*',
    'GET /*',
    'GET /containers/*/json',
    'GET /containers/json',
    'POST /containers/*/start',
    'POST /containers/*/stop',
    'POST /containers/create',
    'POST /images/create',
  ])
})

describe('an engine that cannot be used', () => {
  test('is said to be missing without a socket', async () => {
    const transport = open({ DOCKER_HOST: `unix://${dataPath}/none.sock` })
    expect(await transport.isAvailable()).toBe(false)
    const failure = transport.start(spec(), never)
    expect(failure).rejects.toMatchObject({ reason: 'unavailable' })
    expect(await failure.catch(String)).toContain('DOCKER_HOST')
    expect(await transport.adopt('gamma')).toEqual([])
    expect(await transport.removeLogin(persistent)).toBe('DockerUnavailable')
  })

  test('is said to be behind a proxy that allows too little', async () => {
    const transport = open()
    expect(await transport.isAvailable()).toBe(true)
    engine.refuse('POST /containers/create', { status: 403, message: 'Forbidden' })
    expect(await transport.start(spec(), never).catch(String)).toContain('does not allow')
  })
})

test('diagnostics run in the container and say what to do', async () => {
  const transport = open()
  const daemon = await transport.start(spec(), never)
  engine.commands.set('curl', { exitCode: 0, output: '' })
  engine.commands.set('curl -sS -o /dev/null -m 10 -6', { exitCode: 7, output: 'no route\n' })
  engine.commands.set('getent hosts level3', { exitCode: 0, output: '10.1.2.3  level3.test\n' })
  // The longest start wins.
  const commands = [...engine.commands].toSorted(([a], [b]) => b.length - a.length)
  engine.commands.clear()
  for (const [start, result] of commands) engine.commands.set(start, result)
  expect(await transport.diagnose?.(daemon)).toMatchObject({
    internetConnectivity: true,
    internetConnectivityIpv4: true,
    internetConnectivityIpv6: false,
    internetConnectivityIpv6Error: 'no route',
    dnsResults: [
      { domain: 'level3.blizzard.com', resolvedIps: ['10.1.2.3'], isPrivateIp: true },
      { domain: 'blzddist1-a.akamaihd.net', success: false },
    ],
    useHostNetworking: false,
    lancacheIpInjected: '10.1.2.3',
    lancacheIpSource: 'detected',
    advice: [{ key: 'dnsFailed' }],
  })
})
