import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFileBytes, cacheFilePath, sliceKey } from '../../src/demo/cache-generator.ts'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { mountDeadShare, type DeadShare } from '../support/dead-share.ts'
import { listFiles } from './cache-files.ts'
import { labAccount, Larder } from './larder.ts'
import { logLine } from '../support/log-lines.ts'
import { eventually } from '../support/eventually.ts'
import { slowness } from '../support/slowness.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('lab')
const cachePath = join(root, 'cache')
const logPath = join(root, 'logs')
const files = 4000
/** Longer than the limit of any query. */
const hangMs = 12_000
let larder: Larder
let visitor: Visitor

function fill(): void {
  for (let at = 0; at < files; at++) {
    const tag = at % 2 === 0 ? 'wsus' : 'steam'
    const key = sliceKey(tag, `/depot/441/chunk/${at}`, 0)
    const path = join(cachePath, cacheFilePath(key))
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, cacheFileBytes({ key, body: new Uint8Array(10), storedAt: 1_790_000_000 }))
  }
}

interface Index {
  items: { state: string; files: number; problem: string | null }[]
}
interface Operation {
  status: string
  error: string | null
}
const index = async () => (await visitor.read<Index>('/api/ext/cache/index')).items[0]
const over = ['completed', 'failed', 'cancelled']

async function started(method: string, path: string): Promise<string> {
  const response = await visitor.request(method, path)
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  // Responses of our own service.
  return (JSON.parse(text) as { operationId: string }).operationId
}

/** Refused until the share is trusted again, which is checked every half minute. */
async function removalStarted(): Promise<string> {
  let id = ''
  const isStarted = async () => {
    id = await started('DELETE', '/api/cache/services/wsus').catch(() => '')
    return id !== ''
  }
  await eventually(isStarted, 'the removal is let in', 60_000)
  return id
}

async function ended(id: string): Promise<Operation> {
  let view: Operation = { status: '', error: null }
  await eventually(async () => {
    view = await visitor.read<Operation>(`/api/operations/${id}`)
    return over.includes(view.status)
  }, 'the operation ends')
  return view
}

/** Status of a response, which must arrive before the connection would be closed. */
async function statusInTime(path: string, limitMs: number): Promise<number> {
  const startMs = performance.now()
  const { status } = await visitor.request('GET', path)
  expect(performance.now() - startMs).toBeLessThan(limitMs * slowness)
  return status
}

/** Features that must work whatever a disk does. */
async function expectAlive(): Promise<void> {
  for (const path of ['/health', '/api/ext/status', '/api/stats/dashboard', '/api/operations']) {
    expect([path, await statusInTime(path, 3000)]).toEqual([path, 200])
  }
  expect(await statusInTime('/api/cache', 5000)).toBe(200)
}

/** The disk hangs until every query of it has timed out. */
async function expectAliveMeanwhile(): Promise<void> {
  const endMs = performance.now() + hangMs
  while (performance.now() < endMs) {
    await expectAlive()
    await Bun.sleep(500)
  }
  // Checking a password uses the same runtime threads as reading files.
  const other = new Visitor(larder.url)
  await other.signIn(installationKey(larder.dataPath), labAccount)
}

function tests(probe: DeadShare): void {
  let share: DeadShare | null = probe
  const hang = () => void (share = mountDeadShare(cachePath))
  const thaw = () => {
    share?.end()
    share = null
  }

  beforeAll(async () => {
    thaw()
    fill()
    mkdirSync(logPath)
    writeFileSync(join(logPath, 'access.log'), logLine())
    const sources = [{ name: 'share', logPath }]
    larder = await Larder.start({ dataPath: join(root, 'data'), cachePath, sources })
    visitor = await larder.firstSignIn()
    const hasHistory = async () =>
      (await visitor.request('GET', '/api/stats/dashboard')).status === 200
    await eventually(hasHistory, 'the history is there')
    await ended(await started('GET', '/api/cache/size?force=true'))
    expect(await index()).toMatchObject({ files })
  })

  afterAll(async () => {
    thaw()
    expect(await larder.stop()).toBe(0)
  })

  test('a share that hangs during a walk: everything else responds, the index stays', async () => {
    hang()
    const id = await started('GET', '/api/cache/size?force=true')
    await expectAliveMeanwhile()
    expect(over).not.toContain((await visitor.read<Operation>(`/api/operations/${id}`)).status)
    expect(await statusInTime('/api/cache/corruption/history', 9000)).toBe(503)
    expect(await statusInTime('/api/games/detect/cached', 9000)).toBe(503)
    thaw()
    await ended(id)
    // The calls that hung return some moments later.
    await eventually(async () => {
      await ended(await started('GET', '/api/cache/size?force=true'))
      return (await index())?.problem === null
    }, 'the share is walked again')
    expect(await index()).toMatchObject({ files })
    expect(await statusInTime('/api/cache/corruption/history', 3000)).toBe(200)
  })

  test('during a removal: deletes only the selected files, even afterwards', async () => {
    const id = await removalStarted()
    await eventually(() => listFiles(cachePath).length < files - 20, 'some are gone')
    hang()
    await expectAliveMeanwhile()
    thaw()
    await ended(id)
    const again = await ended(await removalStarted())
    expect(again).toMatchObject({ status: 'completed', error: null })
    expect(listFiles(cachePath)).toHaveLength(files / 2)
    await ended(await started('GET', '/api/cache/size?force=true'))
    expect(await index()).toMatchObject({ files: files / 2, problem: null })
  })

  test('the service stops and starts while the share hangs', async () => {
    hang()
    void started('GET', '/api/cache/size?force=true')
    await Bun.sleep(3000)
    expect(await larder.stop()).toBe(0)
    larder = await Larder.start({
      dataPath: join(root, 'data'),
      cachePath,
      sources: [{ name: 'share', logPath }],
    })
    expect((await fetch(`${larder.url}/health`)).status).toBe(200)
  })
}

mkdirSync(cachePath)
const probe = mountDeadShare(cachePath)
if (probe !== null) describe('a cache on a network share', () => tests(probe))
