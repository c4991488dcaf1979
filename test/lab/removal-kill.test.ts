import { expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../../db/sqlite.ts'
import { storePath } from '../../db/stores.ts'
import { openClient } from '../../db/history/connect.ts'
import { sliceKey, writeCacheFile } from '../../src/demo/cache-generator.ts'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { logLine } from '../support/log-lines.ts'
import { filesOf } from './cache-files.ts'
import { labAccount, Larder } from './larder.ts'
import { eventually } from '../support/eventually.ts'

const root = tempFolder('removal-kill')
const cachePath = join(root, 'cache')
const logPath = join(root, 'logs')
const dataPath = join(root, 'data')

const ownFiles = 8000
const otherFiles = 1000
const options = {
  dataPath,
  cachePath,
  sources: [{ name: 'main', logPath }],
  environment: { CacheIndex__RefreshMinutes: '0', DOCKER_HOST: 'unix:///nowhere/engine.sock' },
}
const minutesAgo = (minutes: number) => Math.floor(Date.now() / 1000) - 60 * minutes

const cacheFile = (depot: number, at: number) =>
  writeCacheFile(cachePath, {
    key: sliceKey('steam', `/depot/${depot}/chunk/${at}`, 0),
    body: Buffer.alloc(40, at),
    storedAt: minutesAgo(60),
  })

/** In the order of a removal: by hash directory. */
const inOrder = (paths: string[]) =>
  paths.toSorted((a, b) => (a.slice(0, -33) < b.slice(0, -33) ? -1 : 1))

const stateOf = (paths: readonly string[]) =>
  paths.map((path) => {
    const { size, ino, mtimeMs, ctimeMs } = statSync(path)
    return `${path} ${size} ${ino} ${mtimeMs} ${ctimeMs}`
  })

async function start(): Promise<{ larder: Larder; visitor: Visitor }> {
  const isFirst = !existsSync(dataPath)
  const larder = await Larder.start(options)
  await eventually(() => larder.output.includes('history ready'), 'the history is there')
  if (isFirst) return { larder, visitor: await larder.firstSignIn() }
  const visitor = new Visitor(larder.url)
  await visitor.signIn(installationKey(dataPath), labAccount)
  return { larder, visitor }
}

async function remove(visitor: Visitor): Promise<string> {
  const response = await visitor.request('DELETE', '/api/games/440')
  const body = (await response.json()) as { operationId: string }
  expect({ status: response.status, body }).toMatchObject({ status: 202 })
  return body.operationId
}

/** Busy-waits, so that the kill hits the exact moment. */
function spinUntil(condition: () => boolean): void {
  const endMs = performance.now() + 20_000
  while (!condition()) if (performance.now() > endMs) throw new Error('the moment did not come')
}

/** After a walk the index matches the files on disk, one by one. */
async function expectIndexed(visitor: Visitor): Promise<void> {
  const path = '/api/cache/size?datasource=main'
  const isRunning = async () => (await visitor.request('GET', path)).status !== 503
  await eventually(isRunning, 'the cache engine runs again')
  const size = await visitor.read(path)
  const files = filesOf(cachePath)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  expect(size).toMatchObject({ totalFiles: files.length, totalBytes: bytes })
  const database = openSqlite(storePath(dataPath, 'cache'), { readonly: true })
  const rows = database
    .query<{ name: string }, []>('SELECT lower(hex(digest)) AS name FROM cache_file')
    .all()
  const contents = database
    .query('SELECT sum(files) AS files, sum(bytes) AS bytes FROM cache_content')
    .get()
  database.close()
  expect(rows.map(({ name }) => name).toSorted()).toEqual(
    files.map(({ path }) => path.slice(-32)).toSorted(),
  )
  expect(contents).toEqual({ files: files.length, bytes })
}

const waiting = (): number => {
  using state = new Database(join(dataPath, 'state.sqlite'), { readonly: true })
  // After a kill the next opener replays the write-ahead log, which locks the file briefly.
  state.run('PRAGMA busy_timeout = 10000')
  return state.query<{ n: number }, []>('SELECT count(*) AS n FROM pending_removal').get()?.n ?? 0
}

const client = (larder: Larder) =>
  openClient(larder.historyTarget(), { name: 'lab', connections: 1, statementTimeoutMs: 0 })

async function depotsDownloaded(larder: Larder): Promise<string[]> {
  const sql = client(larder)
  try {
    const rows = await sql<{ key: string }[]>`
      SELECT DISTINCT title_key AS key FROM downloads ORDER BY 1`
    return rows.map(({ key }) => key)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Blocks changes of downloads until the returned function is called. */
async function lockDownloads(larder: Larder): Promise<() => Promise<void>> {
  const sql = client(larder)
  const locked = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const holding = sql.begin(async (transaction) => {
    await transaction`LOCK TABLE downloads IN SHARE ROW EXCLUSIVE MODE`
    locked.resolve()
    await over.promise
  })
  await Promise.race([locked.promise, holding])
  return async () => {
    over.resolve()
    await holding
    await sql.end({ timeout: 1 })
  }
}

test('killed at any moment of a removal: spares other files, and is completed later', async () => {
  mkdirSync(logPath)
  const lines = [441, 571].map((depot) =>
    logLine({ at: minutesAgo(50), path: `/depot/${depot}/chunk/1`, bytes: 500, cache: 'MISS' }),
  )
  writeFileSync(join(logPath, 'access.log'), lines.join(''))
  const own = inOrder(Array.from({ length: ownFiles }, (_, at) => cacheFile(441, at)))
  const others = Array.from({ length: otherFiles }, (_, at) => cacheFile(571, at))
  const untouched = stateOf(others)
  let run = await start()
  await eventually(
    async () => (await depotsDownloaded(run.larder)).length === 2,
    'both downloads are in the history',
  )
  let left = ownFiles
  // Share of the files deleted before the power cut; the first one is before any check. Enough are left
  // for a kill that comes late.
  for (const share of [0, 0.2]) {
    await remove(run.visitor)
    if (share > 0) spinUntil(() => !existsSync(own[Math.floor(share * ownFiles)] as string))
    await run.larder.kill()
    const after = own.filter((path) => existsSync(path)).length
    expect(after).toBeLessThanOrEqual(left)
    if (share > 0) expect(after).toBeLessThan(left)
    expect(after).toBeGreaterThan(0)
    left = after
    expect(stateOf(others)).toEqual(untouched)
    expect(waiting()).toBe(0)
    run = await start()
    await expectIndexed(run.visitor)
    expect(await depotsDownloaded(run.larder)).toEqual(['alpha:441', 'alpha:571'])
  }
  // The last files are deleted while the history is locked: the power cut is in between.
  const release = await lockDownloads(run.larder)
  await remove(run.visitor)
  await eventually(() => waiting() === 1, 'what is left for the history is noted')
  await run.larder.kill()
  expect(own.filter((path) => existsSync(path))).toEqual([])
  await release()
  run = await start()
  await eventually(() => waiting() === 0, 'the history is brought in line')
  expect(await depotsDownloaded(run.larder)).toEqual(['alpha:571'])
  expect(stateOf(others)).toEqual(untouched)
  await expectIndexed(run.visitor)
  expect(await run.larder.stop()).toBe(0)
})
