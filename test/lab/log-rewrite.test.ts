import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { expectTotals } from './expect-totals.ts'
import { labAccount, Larder } from './larder.ts'
import { referenceCount } from './reference-count.ts'
import { alphaHeaders, download, startProxy, type Proxy } from './proxy.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('lab')
const dataPath = join(root, 'data')
let proxy: Proxy
let larder: Larder
let visitor: Visitor

/** No container engine: nginx is signalled directly. */
const environment = { DOCKER_HOST: 'unix:///nowhere/engine.sock' }
const start = () =>
  Larder.start({
    dataPath,
    cachePath: proxy.cachePath,
    sources: [
      { name: 'plain', logPath: proxy.plainLogs },
      { name: 'detailed', logPath: proxy.detailedLogs },
    ],
    environment,
  })

beforeAll(async () => {
  proxy = await startProxy(root)
  larder = await start()
  visitor = await larder.firstSignIn()
})

afterAll(async () => {
  await larder.stop()
  await proxy.stop()
})

const plain = () => join(proxy.plainLogs, 'access.log')
const plainText = () => readFileSync(plain(), 'utf8')
/** nginx also writes every request here, to a file that is never changed. */
const jsonText = () => readFileSync(join(proxy.jsonLogs, 'access.log'), 'utf8')

/** All requests served by nginx; it logs a line after its client has everything. */
async function everything() {
  const visits = () =>
    jsonText()
      .split('\n')
      .filter((line) => line.includes('/size/')).length
  await eventually(() => visits() === objects, 'the last lines are written')
  return referenceCount(jsonText(), 'json')
}

const other = { host: 'cdn.example.test' }

let objects = 0
async function visit(headers: Record<string, string>): Promise<void> {
  const path = `/size/${1000 + objects}/depot/441/chunk/${objects % 40}`
  objects++
  await download({ port: proxy.port, path, from: `127.0.0.${2 + (objects % 9)}`, headers })
}

/** Two clients in parallel until stopped. */
function load() {
  const ending = new AbortController()
  const loop = async (headers: Record<string, string>) => {
    while (!ending.signal.aborted) await visit(headers)
  }
  const loops = [loop(alphaHeaders), loop(other), loop(other)]
  return async () => {
    ending.abort()
    await Promise.all(loops)
  }
}

interface Removal {
  status: string | null
  linesRemoved: number
  operationId: string | null
}
const removal = () => visitor.read<Removal>('/api/logs/remove/status')

async function remove(service: string, datasource = 'plain'): Promise<Removal> {
  const path = `/api/logs/datasources/${datasource}/services/${service}`
  const response = await visitor.request('DELETE', path)
  const { operationId } = (await response.json()) as { operationId: string }
  let seen = await removal()
  await eventually(async () => {
    seen = await removal()
    const isOver = ['completed', 'failed', 'cancelled'].includes(seen.status ?? '')
    return seen.operationId === operationId && isOver
  }, 'the removal ends')
  return seen
}

/** nginx has no log open that is no longer in the folder. */
function isReopened(): boolean {
  const master = readFileSync(join(root, 'nginx.pid'), 'utf8').trim()
  const workers = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ')
  return [master, ...workers].every((pid) =>
    readdirSync(`/proc/${pid}/fd`).every((fd) => {
      const target = linkOf(`/proc/${pid}/fd/${fd}`)
      return !(target.includes('access.log') && target.endsWith('(deleted)'))
    }),
  )
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

describe('removing lines while nginx writes', () => {
  test('nginx reopens its log, and no total changes', async () => {
    const stopLoad = load()
    await eventually(() => plainText().split('\n').length > 500, 'there is something to remove')
    const { linesRemoved, status } = await remove('testcdn')
    expect(status).toBe('completed')
    expect(linesRemoved).toBeGreaterThan(100)
    await eventually(isReopened, 'nginx reopens')
    await Bun.sleep(200)
    expect((await remove('testcdn')).linesRemoved).toBeGreaterThan(0)
    await stopLoad()
    const expected = await everything()
    // Only counted lines are removed.
    await eventually(() => Bun.deepEquals(larder.committed('plain'), expected), 'the last lines')
    expect((await remove('testcdn')).status).toBe('completed')
    expect(plainText()).not.toContain('[testcdn]')
    expect(plainText()).toContain('[steam]')
    await expectTotals(larder, 'plain', expected)
  })

  test('deletes files with a single service', async () => {
    const expected = larder.committed('detailed')
    expect((await remove('steam', 'detailed')).linesRemoved).toBeGreaterThan(100)
    const folder = join(proxy.detailedLogs, 'http')
    await eventually(() => readdirSync(folder).includes('steam-access.log'), 'nginx reopened')
    expect(readFileSync(join(folder, 'fallback-access.log'), 'utf8')).not.toBe('')
    await expectTotals(larder, 'detailed', expected)
  })

  test('deletes a whole log file', async () => {
    const stopLoad = load()
    const size = statSync(plain()).size
    const path = '/api/logs/datasources/plain/file'
    expect((await visitor.request('DELETE', path)).status).toBe(200)
    await eventually(isReopened, 'nginx reopens')
    await stopLoad()
    expect(statSync(plain()).size).toBeLessThan(size + 200_000)
    await expectTotals(larder, 'plain', await everything())
  })
})

test('killed during a removal, the service continues with complete files', async () => {
  for (const delayMs of [0, 12]) {
    await Promise.all(Array.from({ length: 60 }, () => visit(other)))
    await Promise.all(Array.from({ length: 60 }, () => visit(alphaHeaders)))
    await expectTotals(larder, 'plain', await everything())
    const before = plainText()
    const request = visitor
      .request('DELETE', '/api/logs/datasources/plain/services/testcdn')
      .catch(() => null)
    await Bun.sleep(delayMs)
    await larder.kill()
    await request
    const lines = before.split('\n')
    const after = lines.filter((line) => !line.startsWith('[testcdn]')).join('\n')
    expect([before, after]).toContain(plainText())
    larder = await start()
    visitor = new Visitor(larder.url)
    await visitor.signIn(installationKey(dataPath), labAccount)
    // After the start, nginx gets the pending signal.
    await eventually(isReopened, 'nginx has only present files open')
  }
  expect((await remove('testcdn')).status).toBe('completed')
  expect(readdirSync(proxy.plainLogs)).toEqual(['access.log'])
  expect(plainText()).not.toContain('[testcdn]')
})
