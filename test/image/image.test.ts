import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LogWriter } from '../lab/log-writer.ts'
import { referenceCount } from '../lab/reference-count.ts'
import { eventually } from '../support/eventually.ts'
import { Container, type Totals } from './container.ts'
import { docker } from './docker.ts'
import { baseOf, Engine } from './engine.ts'

/** The container is built and run where the whole run found an engine. */
const isAsked = process.env['LARDER_TEST_IMAGE'] === '1'
const setUpTimeoutMs = 1_200_000
/** What the engine waits before it kills. */
const graceMs = 10_000

const mark = `larder-image-test-${process.pid}`
const image = `${mark}:latest`
const root = mkdtempSync(join(tmpdir(), 'larder-image-'))
const logPath = join(root, 'logs')
const engine = new Engine()
const containers: Container[] = []

async function start(name: string, parameters: string[]): Promise<Container> {
  const options = { image, name: `${mark}-${name}`, logPath, parameters }
  const container = await Container.run(options)
  containers.push(container)
  return container
}

function expectedOf(writer: LogWriter): Totals {
  const counts = Object.values(referenceCount(writer.text, 'plain'))
  const sum = (pick: (it: (typeof counts)[number]) => number) =>
    counts.reduce((all, it) => all + pick(it), 0)
  return {
    totalBandwidthSaved: sum(({ hitBytes }) => hitBytes),
    totalAddedToCache: sum(({ missBytes }) => missBytes),
  }
}

async function expectTotals(container: Container, expected: Totals): Promise<void> {
  const isThere = async () => Bun.deepEquals(await container.totals(), expected)
  // The comparison below says what is different, which a time-out cannot.
  await eventually(isThere, 'all bytes are in the history').catch(() => {})
  expect(await container.totals()).toEqual(expected)
}

function grow(writer: LogWriter, lines: number): void {
  const end = writer.lineCount + lines
  while (writer.lineCount < end) writer.writeSome()
  writer.flush()
}

function tests(): void {
  let writer: LogWriter

  beforeAll(async () => {
    mkdirSync(logPath)
    // Containers come as several users.
    chmodSync(root, 0o755)
    writer = new LogWriter(join(logPath, 'access.log'), 11)
    grow(writer, 20_000)
    expect(expectedOf(writer).totalBandwidthSaved).toBeGreaterThan(0)
    await engine.open()
    await engine.build(image)
  }, setUpTimeoutMs)

  afterAll(async () => {
    writer.stop()
    for (const container of containers) await container.remove()
    rmSync(root, { recursive: true, force: true })
    await engine.close()
  }, setUpTimeoutMs)

  test('adds less than 110 MB to its base', async () => {
    const size = async (name: string) =>
      Number(await docker('image', 'inspect', '--format', '{{.Size}}', name))
    const base = baseOf(await Bun.file('Dockerfile').text()) ?? ''
    expect((await size(image)) - (await size(base))).toBeLessThan(110e6)
  })

  test('holds the licences of what is in it', async () => {
    const paths = ['LICENSE', 'NOTICE', 'licences/postgresql.txt', 'dist/web/licences.txt']
    const packages = ['pino/LICENSE', 'ms/license.md', 'agent-base/README.md']
    const all = [...paths, ...packages.map((name) => `node_modules/${name}`)]
    const found = await docker('run', '--rm', image, 'find', ...all)
    expect(found.trim().split('\n')).toEqual(all)
  })

  test('as root: counts, stays through stop and kill, Postgres runs as PUID', async () => {
    const larder = await start('root', ['--env', 'PUID=4711', '--env', 'PGID=4712'])
    await expectTotals(larder, expectedOf(writer))
    expect(await larder.usersOf('native/bin/postgres')).toEqual(['4711'])
    expect(await larder.usersOf('dist/service/main.js')).toEqual(['0'])
    const isHealthy = async () => (await larder.inspect('.State.Health.Status')) === 'healthy'
    await eventually(isHealthy, 'the engine finds it healthy')
    expect(await (await fetch(larder.url)).text()).toContain('<script')
    expect(await larder.exec('bun', 'run', 'recover')).not.toBe('')

    const { exitCode, tookMs } = await larder.stop()
    expect(exitCode).toBe(0)
    expect(tookMs).toBeLessThan(graceMs)
    grow(writer, 5000)
    await larder.start()
    await expectTotals(larder, expectedOf(writer))

    grow(writer, 20_000)
    await larder.kill()
    grow(writer, 1000)
    await larder.start()
    await expectTotals(larder, expectedOf(writer))
  })

  test('with nothing writable but /data and as few rights as it needs', async () => {
    const rights = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'SETGID', 'SETUID']
    const closed = ['--read-only', '--tmpfs', '/tmp', '--security-opt', 'no-new-privileges']
    const granted = rights.flatMap((name) => ['--cap-add', name])
    const larder = await start('closed', [...closed, '--cap-drop', 'ALL', ...granted])
    await expectTotals(larder, expectedOf(writer))
    expect((await larder.stop()).exitCode).toBe(0)
    await larder.start()
    await expectTotals(larder, expectedOf(writer))
  })

  test('as an ordinary user, on a new volume', async () => {
    const user = ['--user', '99:100', '--cap-drop', 'ALL', '--read-only', '--tmpfs', '/tmp']
    const larder = await start('user', user)
    await expectTotals(larder, expectedOf(writer))
    expect(await larder.usersOf('native/bin/postgres')).toEqual(['99'])
    expect((await larder.stop()).exitCode).toBe(0)
  })

  test('as a node: joins, is healthy, and stays the same after a kill', async () => {
    const [service] = containers
    if (service === undefined) throw new Error('the first test started no container')
    const visitor = await service.signIn()
    const invited = await visitor.request('POST', '/api/ext/nodes', { name: 'attic' })
    const { id, token } = (await invited.json()) as { id: string; token: string }
    const environment = ['ROLE=node', `Node__Service=${service.url}`, `Node__Token=${token}`]
    const closed = ['--user', '99:100', '--cap-drop', 'ALL', '--read-only', '--tmpfs', '/tmp']
    const node = await start('node', [...closed, ...environment.flatMap((it) => ['--env', it])])
    const twice = () => {
      const { totalBandwidthSaved, totalAddedToCache } = expectedOf(writer)
      return {
        totalBandwidthSaved: 2 * totalBandwidthSaved,
        totalAddedToCache: 2 * totalAddedToCache,
      }
    }
    // The service reads the same log as its own.
    await expectTotals(service, twice())
    const isHealthy = async () => (await node.inspect('.State.Health.Status')) === 'healthy'
    await eventually(isHealthy, 'the engine finds the node healthy')
    const kept = ['security/node.json', 'security/place.json']
    const identity = async () => Promise.all(kept.map((name) => node.exec('cat', `/data/${name}`)))
    const before = await identity()
    expect(before[1]).toContain(id)
    const files = await node.exec('find', '/data', '-name', '*.sqlite', '-printf', '%f\n')
    expect(files.split('\n').toSorted()).toEqual(['cache.sqlite', 'hot.sqlite'])

    grow(writer, 1000)
    await node.kill()
    grow(writer, 1000)
    await node.start()
    await expectTotals(service, twice())
    expect(await identity()).toEqual(before)
    type Listed = { items: { id: string; state: string }[] }
    const { items } = await visitor.read<Listed>('/api/ext/nodes')
    expect(items).toMatchObject([{ id, state: 'connected' }])
    expect((await node.stop()).exitCode).toBe(0)
  })

  test('ends in time also while it starts', async () => {
    const larder = containers[0]
    if (larder === undefined) throw new Error('the first test started no container')
    await larder.stop()
    await docker('start', larder.name)
    await eventually(
      async () => (await larder.usersOf('dist/service/main.js')).length > 0,
      'it runs',
    )
    // Long enough to be loaded, too short to be up.
    await Bun.sleep(300)
    const { exitCode, tookMs } = await larder.stop()
    expect(exitCode).toBe(0)
    expect(tookMs).toBeLessThan(graceMs)
  })
}

if (isAsked) describe('the container image', tests)
