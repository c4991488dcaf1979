import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { closeSync, fstatSync, mkdirSync, mkdtempSync, openSync } from 'node:fs'
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Visitor } from '../../src/demo/visitor.ts'
import type { ReopenAvailability, ReopenOutcome } from '../../src/engines/proxy/contract.ts'
import { expectTotals } from '../lab/expect-totals.ts'
import { Larder } from '../lab/larder.ts'
import { referenceCount } from '../lab/reference-count.ts'
import { alphaHeaders, download, startProxy, type Proxy } from '../lab/proxy.ts'
import { eventually } from '../support/eventually.ts'
import { docker } from './docker.ts'
import { Engine } from './engine.ts'
import { alone, inContainer, packNginx, processesOf } from './nginx-image.ts'

/** A real nginx in real containers, only when asked for: it needs an engine. */
const isAsked = process.env['LARDER_TEST_IMAGE'] === '1'
const setUpTimeoutMs = 120_000
const gibibyte = 1024 ** 3

const mark = `larder-proxy-test-${process.pid}`
const withShell = `${mark}:shell`
const withoutShell = `${mark}:bare`
/** Names that sort the wrong way round: the first is not ours. */
const other = `${mark}-a`
const ours = `${mark}-b`
const root = mkdtempSync(join(tmpdir(), 'larder-proxy-'))
const engine = new Engine()
let proxy: Proxy
let larder: Larder
let visitor: Visitor

const plain = () => join(proxy.plainLogs, 'access.log')
/** nginx writes every request here too, and nobody touches it. */
const jsonText = () => readFileSync(join(proxy.jsonLogs, 'access.log'), 'utf8')

let objects = 0
async function visit(headers: Record<string, string>): Promise<void> {
  // A long query makes a long line; it is no part of the key.
  const query = '?'.padEnd(2000, 'x')
  const path = `/size/${1000 + objects}/depot/441/chunk/${objects % 40}${query}`
  const from = `127.0.0.${2 + (objects % 9)}`
  objects++
  await download({ port: proxy.port, path, from, headers })
}

/** The heartbeat is not counted by anybody. */
const nginxAnswers = () =>
  eventually(
    () =>
      download({ port: proxy.port, path: '/lancache-heartbeat' }).then(
        ({ status }) => status === 204,
        () => false,
      ),
    'nginx answers',
  )

/** Two services at once until told to stop. */
function load() {
  const ending = new AbortController()
  const loop = async (headers: Record<string, string>) => {
    while (!ending.signal.aborted) await visit(headers)
  }
  const loops = [loop(alphaHeaders), loop({ host: 'cdn.example.test' })]
  return async () => {
    ending.abort()
    await Promise.all(loops)
  }
}

/** All that nginx served is counted, once: it writes a line after its client has everything. */
async function expectEverything(): Promise<void> {
  const visits = () => jsonText().split('/size/').length - 1
  await eventually(() => visits() === objects, 'the last lines are written')
  await expectTotals(larder, 'plain', referenceCount(jsonText(), 'json'))
}

interface Job {
  operationId: string
}
interface Removal {
  status: string | null
  linesRemoved: number
  operationId: string | null
}

async function removeLines(service: string): Promise<Removal> {
  const path = `/api/logs/datasources/plain/services/${service}`
  const { operationId } = (await (await visitor.request('DELETE', path)).json()) as Job
  let seen: Removal | null = null
  await eventually(async () => {
    seen = await visitor.read<Removal>('/api/logs/remove/status')
    return seen.operationId === operationId && seen.status === 'completed'
  }, 'the removal ends')
  if (seen === null) throw new Error('no removal')
  return seen
}

/** Where the open files of a process lead; those that are closed meanwhile are left out. */
function openFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
  } catch {
    return []
  }
}

function linkOf(path: string): string[] {
  try {
    return [readlinkSync(path)]
  } catch {
    return []
  }
}

/** The files of the log that nginx has open. */
async function openLogs(name = ours): Promise<string[]> {
  const files = (await processesOf(name)).flatMap(openFiles)
  return files.filter((file) => file.includes('/plain/access.log'))
}

const isReopened = async () => {
  const links = await openLogs()
  return links.length > 0 && links.every((link) => link === '/data/plain/access.log')
}

/** Runs `change` under load: nginx goes on in a new file, and the old one gets nothing more. */
async function expectNewFile(change: () => Promise<void>): Promise<void> {
  const stopLoad = load()
  const old = openSync(plain(), 'r')
  try {
    await change()
    await eventually(isReopened, 'nginx reopens its log')
    const sizeThen = fstatSync(old).size
    const newSize = statSync(plain()).size
    await eventually(() => statSync(plain()).size > newSize + 100_000, 'nginx writes to the new')
    expect(statSync(plain()).ino).not.toBe(fstatSync(old).ino)
    expect(fstatSync(old).size).toBe(sizeThen)
  } finally {
    closeSync(old)
    await stopLoad()
  }
}

const availability = () => visitor.read<ReopenAvailability>('/api/ext/logs/reopen')
const reopen = async () =>
  (await (await visitor.request('POST', '/api/ext/logs/reopen')).json()) as ReopenOutcome

function tests(): void {
  let otherProxy: Proxy

  beforeAll(async () => {
    await engine.open()
    engine.owns(withShell, withoutShell)
    await packNginx(withShell, true)
    await packNginx(withoutShell, false)
    const place = (name: string, size: string) => {
      const folder = join(root, name)
      mkdirSync(folder)
      const parameters = ['--env', `CACHE_DISK_SIZE=${size}`]
      return inContainer({ image: withShell, name, root: folder, parameters })
    }
    otherProxy = await startProxy(join(root, other), '1m', place(other, '3g'))
    proxy = await startProxy(join(root, ours), '2m', place(ours, '7g'))
    larder = await Larder.start({
      dataPath: join(root, 'data'),
      cachePath: proxy.cachePath,
      sources: [{ name: 'plain', logPath: proxy.plainLogs }],
      environment: { DOCKER_HOST: process.env['DOCKER_HOST'] ?? '' },
    })
    visitor = await larder.firstSignIn()
  }, setUpTimeoutMs)

  afterAll(async () => {
    await larder.stop()
    await proxy.stop()
    await otherProxy.stop()
    await engine.close()
    rmSync(root, { recursive: true, force: true })
  }, setUpTimeoutMs)

  test('of two it is the one that sees our folders, and its limit is that of the cache', async () => {
    const path = '/size/5000000/depot/441/chunk/sliced'
    await download({ port: proxy.port, path, headers: alphaHeaders })
    objects++
    expect(await availability()).toMatchObject({ canReopen: true, way: 'container', target: ours })
    interface Facts {
      dataSources: { resolvedCacheSizeBytes: number; cacheSizeSource: string }[]
    }
    const { dataSources } = await visitor.read<Facts>('/api/system/config')
    expect(dataSources[0]?.resolvedCacheSizeBytes).toBe(7 * gibibyte)
    expect(dataSources[0]?.cacheSizeSource).toBe('docker')
    await expectEverything()
  })

  test('after lines were removed nginx writes to the new file', async () => {
    await expectNewFile(async () => {
      const enough = () => statSync(plain()).size > 500_000
      await eventually(enough, 'there is something to remove')
      expect((await removeLines('testcdn')).linesRemoved).toBeGreaterThan(50)
    })
    await expectEverything()
  })

  test('after a rotation too', async () => {
    const policy = { rotateAfterDays: null, compresses: false, keepDays: null, keepGib: null }
    const settings = { ...policy, isEnabled: true, rotateAboveMib: 1 }
    await visitor.write('PUT', '/api/ext/logs/retention', settings)
    await expectNewFile(async () => {
      await eventually(() => statSync(plain()).size > 1_200_000, 'the log is large enough')
      await visitor.write('POST', '/api/ext/logs/retention/run')
      await eventually(() => readdirSync(proxy.plainLogs).length === 2, 'the log is rotated')
    })
    await visitor.write('PUT', '/api/ext/logs/retention', { ...settings, isEnabled: false })
    await expectEverything()
    expect(await openLogs(other)).toContain('/data/plain/access.log')
  })

  test('one that was paused is signalled by itself as soon as it continues', async () => {
    await expectNewFile(async () => {
      await docker('pause', ours)
      expect((await removeLines('testcdn')).linesRemoved).toBeGreaterThan(0)
      const outcome = await reopen()
      expect(outcome).toMatchObject({ isDone: false, command: `docker unpause ${ours}` })
      expect(outcome.message).toContain('is paused')
      expect(await docker('inspect', '--format', '{{.State.Paused}}', ours)).toBe('true')
      await docker('unpause', ours)
      expect((await openLogs()).some((link) => link.endsWith('(deleted)'))).toBe(true)
    })
    await expectEverything()
  })

  test('stopped it cannot be told and does not have to be: it begins with the new file', async () => {
    await docker('stop', ours)
    // The other one is all that is left, and not ours.
    expect(await reopen()).toMatchObject({ isDone: true, target: other })
    expect((await removeLines('steam')).linesRemoved).toBeGreaterThan(50)
    await docker('start', ours)
    await nginxAnswers()
    expect(await isReopened()).toBe(true)
    expect(await reopen()).toMatchObject({ isDone: true, target: ours })
    await expectEverything()
  })

  test('without a shell nginx is asked itself, and is restarted after a crash as before', async () => {
    await docker('rm', '--force', ours)
    const parameters = ['--env', 'CACHE_DISK_SIZE=7g', '--restart=unless-stopped']
    const options = { image: withoutShell, name: ours, root: join(root, ours), parameters }
    await inContainer(options, alone).start()
    await nginxAnswers()
    await expectNewFile(async () => {
      const grown = () => statSync(plain()).size > 100_000
      await eventually(grown, 'there is something to remove')
      expect((await removeLines('testcdn')).linesRemoved).toBeGreaterThan(0)
    })
    const [master = 0] = await processesOf(ours)
    process.kill(master, 'SIGKILL')
    const restarts = () => docker('inspect', '--format', '{{.RestartCount}}', ours)
    await eventually(async () => (await restarts()) === '1', 'the engine starts it again')
    await expectEverything()
  })
}

if (isAsked) describe('a proxy in a container', tests)
