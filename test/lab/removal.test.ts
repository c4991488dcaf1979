import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Visitor } from '../../src/demo/visitor.ts'
import { filesOf, foldersOf, type CacheFile } from './cache-files.ts'
import { Larder } from './larder.ts'
import { alphaHeaders, download, startProxy, type Proxy } from './proxy.ts'
import { eventually } from '../support/eventually.ts'
import { diskFolder } from '../support/in-memory.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('lab', diskFolder)
let proxy: Proxy
let larder: Larder
let visitor: Visitor

/** Downloads and their clients: games of three services, over several slices. */
const alpha = { headers: alphaHeaders }
const gamma = { headers: { host: 'blizzard.example.test' } }
const updates = { headers: { host: 'wsus.example.test' } }
const chunk = (depot: number, bytes: number, at = 0) => `/size/${bytes}/depot/${depot}/chunk/${at}`
const wholeFile = '/tpr/pro/data/aa/bb/size/5000000/archive'
const update = '/size/2500000/msdownload/update/one.cab'

const downloads = [
  ...[0, 1, 2, 3].map((at) => ({ ...alpha, path: chunk(441, 3_158_073, at) })),
  { ...alpha, path: chunk(571, 1_048_576) },
  { ...alpha, path: chunk(571, 1_048_577, 1) },
  { ...alpha, path: chunk(572, 100) },
  { ...alpha, path: chunk(987_001, 4_000_000) },
  { ...updates, path: update },
]
const ranged = { ...gamma.headers, range: 'bytes=1500000-3500000' }

beforeAll(async () => {
  proxy = await startProxy(root)
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: proxy.cachePath,
    sources: [{ name: 'main', logPath: proxy.plainLogs }],
    environment: { CacheIndex__RefreshMinutes: '0', DOCKER_HOST: 'unix:///nowhere/engine.sock' },
  })
  visitor = await larder.firstSignIn()
  await eventually(() => larder.output.includes('history ready'), 'the history is there')
  await fill()
})
afterAll(async () => {
  expect(await larder.stop()).toBe(0)
  await proxy.stop()
})

const get = (path: string, { headers }: { headers: Record<string, string> }) =>
  download({ port: proxy.port, path, headers })

async function fill(): Promise<void> {
  for (const { path, headers } of downloads) await get(path, { headers })
  await get(wholeFile, { headers: ranged })
  // The proxy renames a cache file after sending it.
  await eventually(
    () => filesOf(proxy.cachePath).length === 16 + 2 + 1 + 1 + 4 + 3 + 3,
    'all cache files',
  )
}

/** Cache status of the last request for a path, from the proxy's own log. */
async function statusOf(path: string, { headers }: { headers: Record<string, string> }) {
  const lines = () =>
    readFileSync(join(proxy.plainLogs, 'access.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes(`GET ${path} `))
  const before = lines().length
  const { status, bytes } = await get(path, { headers })
  await eventually(() => lines().length > before, 'the request is logged')
  return { status, bytes, cache: lines().at(-1)?.split('"')[7] }
}

/** Owner of a file by its key, computed without the service's code. */
function ownerOf({ key }: CacheFile): string {
  const depot = /^steam.*\/depot\/(\d+)\//.exec(key)?.[1]
  if (depot !== undefined) {
    return { 441: 'Team Fortress 2', 571: 'Dota 2', 572: 'Dota 2' }[depot] ?? `depot ${depot}`
  }
  if (key.startsWith('blizzard/tpr/pro/')) return 'Overwatch'
  return key.startsWith('wsus/') ? 'wsus' : key
}

type Table = Record<string, { files: number; bytes: number }>

function tableOf(files: readonly CacheFile[]): Table {
  const table: Table = {}
  for (const file of files) {
    const entry = (table[ownerOf(file)] ??= { files: 0, bytes: 0 })
    entry.files++
    entry.bytes += file.bytes
  }
  return table
}

const bytesOf = (files: readonly CacheFile[]) => files.reduce((sum, { bytes }) => sum + bytes, 0)

interface View {
  status: string
  error: string | null
  context: Record<string, unknown> | null
}

async function started(method: string, path: string): Promise<string> {
  const response = await visitor.request(method, path)
  const text = await response.text()
  if (response.status !== 202) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  // Responses of our own service.
  return (JSON.parse(text) as { operationId: string }).operationId
}

/** Starts an operation and returns its facts after it succeeded. */
async function finished(method: string, path: string): Promise<Record<string, unknown>> {
  const id = await started(method, path)
  let view: View | null = null
  await eventually(async () => {
    view = await visitor.read<View>(`/api/operations/${id}`)
    return ['completed', 'failed', 'cancelled'].includes(view.status)
  }, `${method} ${path} ends`)
  const { status, error, context } = view as unknown as View
  expect({ status, error }).toEqual({ status: 'completed', error: null })
  return context ?? {}
}

interface Detected {
  games: { game_name: string; cache_files_found: number; total_size_bytes: number }[]
  services: { service_name: string; cache_files_found: number; total_size_bytes: number }[]
}

/** Runs the detection and returns its result in the form of `tableOf`. */
async function detected(): Promise<Table> {
  // The first may join the run that the service starts by itself, which began before the call.
  await finished('POST', '/api/games/detect')
  await finished('POST', '/api/games/detect')
  const { games, services } = await visitor.read<Detected>('/api/games/detect/cached')
  const rows = [
    ...games.map(({ game_name: name, ...facts }) => ({ name, ...facts })),
    ...services.map(({ service_name: name, ...facts }) => ({ name, ...facts })),
  ]
  return Object.fromEntries(
    rows.flatMap(({ name, cache_files_found: files, total_size_bytes: bytes }) => {
      const depot = /\(Depot (\d+)\)/.exec(name)?.[1]
      // Evicted games stay in the list while the history has them.
      return files === 0 ? [] : [[depot === undefined ? name : `depot ${depot}`, { files, bytes }]]
    }),
  )
}

/** Continuous requests for cached and new objects, until stopped. */
function load() {
  const run = { isOver: false }
  let served = 0
  const failures: string[] = []
  const one = async (seat: number) => {
    for (let at = 0; !run.isOver; at++) {
      const isNew = at % 3 === 0
      const bytes = isNew ? 1_200_000 : 4_000_000
      const path = isNew ? chunk(700_000 + seat, bytes, at) : chunk(987_001, bytes)
      const answer = await get(path, alpha).catch((error: Error) => error.message)
      served++
      if (typeof answer === 'string' || answer.status !== 200 || answer.bytes !== bytes) {
        failures.push(`${path}: ${JSON.stringify(answer)}`)
      }
    }
  }
  const seats = Promise.all([1, 2, 3].map(one))
  return {
    served: () => served,
    async stop() {
      run.isOver = true
      await seats
      return failures
    },
  }
}

test('detects exactly the games, files and bytes of the cache', async () => {
  const files = filesOf(proxy.cachePath)
  const table = tableOf(files)
  expect(Object.keys(table).toSorted()).toEqual([
    'Dota 2',
    'Overwatch',
    'Team Fortress 2',
    'depot 987001',
    'wsus',
  ])
  expect(table['Team Fortress 2']?.files).toBe(16)
  expect(await detected()).toEqual(table)
})

test('removes one game while the proxy serves: no request fails, and stores it again', async () => {
  const outside = () => foldersOf(proxy.cachePath).filter((path) => !/^[0-9a-f/]{2,5}$/.test(path))
  expect(outside()).toEqual([])
  const before = filesOf(proxy.cachePath)
  const busy = load()
  await eventually(() => busy.served() > 20, 'the proxy is busy')
  const facts = await finished('DELETE', '/api/games/440')
  const servedAtEnd = busy.served()
  expect(await busy.stop()).toEqual([])
  expect(servedAtEnd).toBeGreaterThan(20)
  const after = new Map(filesOf(proxy.cachePath).map((file) => [file.path, file]))
  const gone = before.filter(({ path }) => !after.has(path))
  expect(tableOf(gone)).toEqual({ 'Team Fortress 2': { files: 16, bytes: bytesOf(gone) } })
  expect(facts).toMatchObject({
    gameName: 'Team Fortress 2',
    filesDeleted: 16,
    bytesFreed: bytesOf(gone),
    filesChanged: 0,
    alreadyMissing: 0,
    logFilesLeft: 0,
  })
  const path = chunk(441, 3_158_073)
  const whole = { status: 200, bytes: 3_158_073 }
  expect(await statusOf(path, alpha)).toEqual({ ...whole, cache: 'MISS' })
  expect(await statusOf(path, alpha)).toEqual({ ...whole, cache: 'HIT' })
  expect(await statusOf(path, alpha)).toEqual({ ...whole, cache: 'HIT' })
  expect(await statusOf(chunk(571, 1_048_577, 1), alpha)).toMatchObject({ cache: 'HIT' })
  expect(await statusOf(update, updates)).toMatchObject({ cache: 'HIT' })
  expect(await statusOf(wholeFile, { headers: ranged })).toMatchObject({
    status: 206,
    cache: 'HIT',
  })
  expect(outside()).toEqual([])
})

test('removes a service, and nothing of the others', async () => {
  const before = filesOf(proxy.cachePath)
  const facts = await finished('DELETE', '/api/cache/services/wsus')
  const left = new Set(filesOf(proxy.cachePath).map(({ path }) => path))
  const gone = before.filter(({ path }) => !left.has(path))
  expect(tableOf(gone)).toEqual({ wsus: { files: 3, bytes: bytesOf(gone) } })
  expect(facts).toMatchObject({ filesDeleted: 3, bytesFreed: bytesOf(gone) })
  expect(await statusOf(update, updates)).toMatchObject({ cache: 'MISS', bytes: 2_500_000 })
  expect(await statusOf(update, updates)).toMatchObject({ cache: 'HIT' })
  expect(await statusOf(chunk(572, 100), alpha)).toMatchObject({ cache: 'HIT' })
  expect(await detected()).toEqual(tableOf(filesOf(proxy.cachePath)))
})

describe.each(['preserve', 'full', 'rsync'])('clearing (%s)', (deleteMode) => {
  test('empties the cache while the proxy serves and stores again', async () => {
    await visitor.write('PATCH', '/api/system/cache-delete-mode', { deleteMode })
    await get(chunk(441, 3_158_073), alpha)
    const before = filesOf(proxy.cachePath)
    const folders = foldersOf(proxy.cachePath)
    const busy = load()
    await eventually(() => busy.served() > 10, 'the proxy is busy')
    const facts = await finished('DELETE', '/api/cache')
    expect(await busy.stop()).toEqual([])
    const left = filesOf(proxy.cachePath)
    const stayed = before.filter(({ path, version }) =>
      left.some((file) => file.path === path && file.version === version),
    )
    expect(stayed).toEqual([])
    expect(Number(facts['filesDeleted'])).toBeGreaterThanOrEqual(before.length)
    expect(Number.isInteger(facts['freeSpaceGained'])).toBe(true)
    const whole = { status: 200, bytes: 3_158_073 }
    expect(await statusOf(chunk(441, 3_158_073), alpha)).toEqual({ ...whole, cache: 'MISS' })
    expect(await statusOf(chunk(441, 3_158_073), alpha)).toEqual({ ...whole, cache: 'HIT' })
    const now = foldersOf(proxy.cachePath)
    // Only the proxy creates entries below its root: only hash directories.
    expect(now.filter((path) => !/^[0-9a-f]{2}(\/[0-9a-f]{2})?$/.test(path))).toEqual([])
    if (deleteMode === 'preserve') expect(folders.filter((path) => !now.includes(path))).toEqual([])
    expect(filesOf(proxy.cachePath).every(({ path }) => /\/[0-9a-f]{32}$/.test(path))).toBe(true)
    expect(await detected()).toMatchObject({ 'Team Fortress 2': { files: 4 } })
  })
})
