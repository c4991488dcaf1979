import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { HistoryTarget } from '../../../db/history/connect.ts'
import { migrateHistory } from '../../../db/history/migrate.ts'
import { openState } from '../../../db/state/open.ts'
import { contractOperations } from '../../../test/contract/contract.ts'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { begunJobEnd } from '../../../test/support/job-end.ts'
import { firstSecond, logLine } from '../../../test/support/log-lines.ts'
import { freshDatabase, openTestClient, untilState } from '../../../test/support/postgres.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import {
  downloadIds,
  laterMigrations,
  olderInstallation,
} from '../../../test/support/older-installation.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { Browser, signInOwner } from '../../../test/support/sign-in.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig, type Config } from '../../core/config.ts'
import { snapshotFormat, stagedFolder } from '../../engines/backup/contract.ts'
import { makeSnapshot } from '../../engines/backup/make.ts'
import { stageSnapshot } from '../../engines/backup/stage.ts'
import { applyRestore } from './apply.ts'
import { lastRestore } from './outcome.ts'
import { environmentOf } from '../../../test/support/postgres.ts'

const passive = { progress() {}, isCancelled: () => false }

/** The configuration of a data folder of its own on this database. */
const configOf = (target: HistoryTarget, dataPath = join(tempFolder('restore'), 'data')): Config =>
  readConfig({ DATA_PATH: dataPath, ...environmentOf(target) })

interface Site {
  target: HistoryTarget
  logs: string
  cache: string
}

async function started({ target, logs, cache }: Site, dataPath?: string): Promise<TestApp> {
  const app = await testApp({
    clock: new ManualTime('2026-11-22T13:00:00.000Z'),
    isIngesting: true,
    isIndexing: true,
    environment: {
      ...environmentOf(target),
      LanCache__LogPath: logs,
      LanCache__CachePath: cache,
      ...(dataPath !== undefined && { DATA_PATH: dataPath }),
    },
  })
  app.history.onStatus(({ state }) => {
    if (state === 'ready') app.logs.historyReady(app.history.connection())
  })
  app.history.start()
  await untilState(app.history, 'ready')
  return app
}

function write(site: Site, from: number, lines: number): void {
  const text = Array.from({ length: lines }, (_, index) =>
    logLine({
      at: firstSecond + from + index,
      client: `10.0.0.${(from + index) % 9}`,
      cache: index % 2 === 0 ? 'HIT' : 'MISS',
      bytes: 1000 + index,
      path: `/depot/${700 + (index % 5)}/chunk/${'ab'.repeat(20)}`,
      tag: 'steam',
    }),
  )
  appendFileSync(join(site.logs, 'access.log'), text.join(''))
}

const requestsIn = async ({ history }: TestApp) => {
  const [row] = await history.read(
    (_db, sql) =>
      sql<{ n: number }[]>`select coalesce(sum(requests), 0)::int as n from traffic_day`,
  )
  return row?.n ?? 0
}

/** Answers that are about this run or this machine, not about stored data. */
const momentary = [
  '/api/memory',
  '/api/ext/backups',
  // The snapshot itself was a job.
  '/api/ext/operations',
  '/api/ext/log',
  // Of a sample of the log that is stored every ten minutes.
  '/api/ext/cache/sizes',
  '/api/auth/status',
  '/metrics',
]

/** Members about this run, or about the disk and the proxies of other tests on this machine. */
const ofTheMoment = new RegExp(
  `"(${[
    'timestamp|timestampUtc|lastSeenAt|since|startedAt|lastShippedAt|lastRunTerminalStatus|traceId',
    'lagMs|lagSeconds|cacheGeneration|totalCacheSize|driveCapacity|usedCacheSize|freeCacheSize',
    'usagePercent|limitBytes|capacityBytes|freeBytes|usedBytes|roomBytes|totalBytes',
    'cacheTotalBytes|cacheUsedBytes|cacheFreeBytes',
    'canReopen|way|target|hint|command|nginxReopenAvailable|nginxReopenHint',
  ].join('|')})":("[^"]*"|[\\d.]+|true|false|null)`,
  'g',
)

/** Reads everything that needs no id; without what differs between two moments. */
async function answers(app: TestApp, browser: Browser): Promise<Map<string, string>> {
  const routes = app.routes as unknown as { method: string; path: string }[]
  const paths = routes
    .filter(({ method, path }) => method === 'GET' && path.startsWith('/api/'))
    .map(({ path }) => path)
    .filter((path) => !path.includes(':') && !path.includes('*'))
  const found = new Map<string, string>()
  for (const path of new Set(paths)) {
    if (momentary.some((one) => path === one || path.startsWith(`${one}/`))) continue
    const answer = await browser.get(path)
    const text = (await answer.text())
      .replaceAll(app.config.dataPath, '<data>')
      .replaceAll(app.config.postgres.database, '<database>')
      .replaceAll(ofTheMoment, '')
    found.set(path, `${answer.status} ${text}`)
  }
  return found
}

const differing = (before: Map<string, string>, after: Map<string, string>) =>
  [...before]
    .filter(([path, text]) => after.get(path) !== text)
    .map(([path, text]) => ({ path, text, now: after.get(path) }))

/** The answers once nothing changes any more: workers report a moment after they are done. */
async function settledAnswers(app: TestApp, browser: Browser): Promise<Map<string, string>> {
  let last = await answers(app, browser)
  const isSettled = async () => {
    const before = last
    last = await answers(app, browser)
    return differing(before, last).length === 0
  }
  await eventually(isSettled, 'the answers stay the same')
  return last
}

test('an empty installation answers everything as before, and goes on counting', async () => {
  const site: Site = {
    target: await freshDatabase(),
    logs: tempFolder('logs'),
    cache: tempFolder('cache'),
  }
  write(site, 0, 400)
  const first = await started(site)
  // On a slow machine the first search for names would begin meanwhile.
  first.settings.set('depots.crawlIntervalHours', 0)
  const owner = await signInOwner(first)
  await eventually(async () => (await requestsIn(first)) === 400, 'everything is shipped')
  const event = { name: 'Party', startTime: firstSecond, endTime: firstSecond + 86_400 }
  expect((await owner.post('/api/events', event)).status).toBe(200)
  const group = { nickname: 'Table 1', initialIps: ['10.0.0.1'] }
  expect((await owner.post('/api/client-groups', group)).status).toBe(200)
  expect((await owner.patch('/api/system/refresh-rate', { refreshRate: 'RELAXED' })).status).toBe(
    200,
  )
  const view = await begunJobEnd(first.operations, await owner.post('/api/ext/backups'))
  expect(view.error).toBeNull()
  // Read now: a stopped service has closed its stores.
  const file = join(first.config.dataPath, 'backups', String(view.context?.['name']))
  const before = await settledAnswers(first, owner)
  await first.stop()

  const second = { ...site, target: await freshDatabase() }
  const config = configOf(second.target)
  await stageSnapshot({ file, dataPath: config.dataPath }, passive)
  expect(await applyRestore(config, quietLog)).toMatchObject({ problem: null })
  expect(existsSync(stagedFolder(config.dataPath))).toBe(false)

  const restored = await started(second, config.dataPath)
  const again = new Browser(restored)
  for (const [name, value] of owner.cookies) again.cookies.set(name, value)
  expect(differing(before, await settledAnswers(restored, again))).toEqual([])
  expect(before.size).toBeGreaterThan(100)
  expect([...before.values()].filter((text) => text.startsWith('200')).length).toBeGreaterThan(90)
  const listed = new Set(contractOperations.map(({ key }) => key))
  expect([...before.keys()].filter((path) => listed.has(`GET ${path}`)).length).toBeGreaterThan(60)

  write(second, 400, 50)
  await eventually(async () => (await requestsIn(restored)) === 450, 'new lines are counted once')
  expect(restored.logs.status().mismatch).toBeNull()
})

async function olderSnapshot(): Promise<{ file: string; folder: string }> {
  const { dataPath, target: history, sql } = await olderInstallation()
  await sql.end()
  const folder = dirname(dataPath)
  const file = join(folder, 'older.tar.zst')
  await makeSnapshot({ dataPath, file, version: '0.0.1', history }, passive)
  return { file, folder }
}

test('an older snapshot is brought to the newest schema, and roll-ups fit', async () => {
  const { file } = await olderSnapshot()
  const target = await freshDatabase()
  const config = configOf(target)
  const migrations = laterMigrations()
  await stageSnapshot({ file, dataPath: config.dataPath, migrations }, passive)
  expect(await applyRestore(config, quietLog, { migrations })).toMatchObject({ problem: null })
  const sql = openTestClient(target)
  expect(await downloadIds(sql)).toEqual([7])
  const [group] = await sql`
    select hit_bytes::int as hit, downloads::int as n from download_groups where span_days = 0`
  expect(group).toEqual({ hit: 5, n: 1 })
  expect(await sql`select 1 from downloads where later = 5`).toHaveLength(1)
  // A trigger fires again, and new events get new numbers.
  await sql`delete from downloads`
  expect(await sql`select 1 from download_groups where downloads > 0`).toHaveLength(0)
  await migrateHistory(sql, migrations)
})

test('newer, damaged, cut and foreign files are refused, and leave nothing', async () => {
  const { file, folder } = await olderSnapshot()
  const dataPath = join(folder, 'elsewhere')
  const refusal = async (path: string) => {
    const error: unknown = await stageSnapshot({ file: path, dataPath }, passive).catch((e) => e)
    expect(existsSync(stagedFolder(dataPath))).toBe(false)
    expect(existsSync(`${stagedFolder(dataPath)}.new`)).toBe(false)
    return String(error)
  }
  const bytes = readFileSync(file)
  const made = (name: string, content: Uint8Array) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  expect(await refusal(made('cut', bytes.subarray(0, bytes.length - 200)))).toContain('damaged')
  const flipped = Buffer.from(bytes)
  flipped[bytes.length >> 1] = (flipped[bytes.length >> 1] ?? 0) ^ 0xff
  // The byte may belong to the list of contents.
  expect(await refusal(made('flipped', flipped))).toMatch(/damaged|not a snapshot/)
  expect(await refusal(made('text', Buffer.from('no snapshot')))).toContain('damaged')
  const newer = JSON.stringify({
    format: snapshotFormat + 1,
    sqlite: [],
    history: { migrations: [] },
    version: '9.9.9',
  })
  expect(await refusal(made('newer', packed({ 'manifest.json': newer })))).toContain('9.9.9')
  const manifest = JSON.stringify({
    format: 1,
    sqlite: [],
    history: { migrations: [], tables: [] },
  })
  const escaping = packed({ 'manifest.json': manifest, '../../evil': 'x' })
  expect(await refusal(made('escaping', escaping))).toContain('not a snapshot')
})

/** A compressed archive with these files. */
function packed(files: Record<string, string>): Uint8Array {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write('0000600\0', 100)
    header.write(`${text.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('00000000000\0', 136)
    header.write('        ', 148)
    header.write('0', 156)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    const content = Buffer.alloc(Math.ceil(text.length / 512) * 512)
    content.write(text)
    return [header, content]
  })
  return Bun.zstdCompressSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}

/** A data folder whose databases carry a mark, so that a test sees which ones are in place. */
function marked(dataPath: string, mark: string): void {
  const state = openState(dataPath)
  state.sqlite.run(`INSERT INTO setting (key, value, updated_at) VALUES ('mark', '"${mark}"', 0)`)
  state.close()
}
const markIn = (dataPath: string) => {
  using database = new Database(join(dataPath, 'state.sqlite'), { readonly: true })
  return database.query("SELECT value FROM setting WHERE key = 'mark'").get()
}

test('a history that does not come up leaves everything as it was, and says why', async () => {
  const { file } = await olderSnapshot()
  const config = configOf({ host: '127.0.0.1', port: 1, database: 'x', user: 'x', password: 'x' })
  mkdirSync(config.dataPath, { recursive: true })
  marked(config.dataPath, 'old')
  await stageSnapshot({ file, dataPath: config.dataPath }, passive)
  const outcome = await applyRestore(config, quietLog, { historyWaitMs: 1500 })
  expect(outcome?.problem).toContain('does not accept connections')
  expect(markIn(config.dataPath)).toEqual({ value: '"old"' })
  expect(lastRestore.read(config.dataPath)).toEqual(outcome)
  expect(await applyRestore(config, quietLog)).toBeNull()
})

test('a restore that was killed while files were swapped is completed', async () => {
  const { file } = await olderSnapshot()
  const config = configOf(await freshDatabase())
  const { dataPath } = config
  mkdirSync(dataPath, { recursive: true })
  marked(dataPath, 'old')
  writeFileSync(join(dataPath, 'state.sqlite-wal'), '')
  mkdirSync(join(dataPath, 'themes'))
  await stageSnapshot({ file, dataPath }, passive)
  const staged = stagedFolder(dataPath)
  // The history was committed, and the first file was moved aside.
  writeFileSync(join(staged, 'history-done'), '')
  mkdirSync(join(staged, 'replaced'))
  renameSync(join(dataPath, 'state.sqlite'), join(staged, 'replaced', 'state.sqlite'))
  expect(await applyRestore(config, quietLog)).toMatchObject({ problem: null })
  expect(markIn(dataPath)).toBeNull()
  expect(existsSync(staged)).toBe(false)
})

test('rests of a staged snapshot are removed, and never restored', async () => {
  const config = configOf({ host: '127.0.0.1', port: 1, database: 'x', user: 'x', password: 'x' })
  const staged = stagedFolder(config.dataPath)
  // Killed while it was unpacked, and while it was removed after a restore.
  for (const folder of [`${staged}.new`, staged]) {
    mkdirSync(join(folder, 'sqlite'), { recursive: true })
  }
  expect(await applyRestore(config, quietLog)).toBeNull()
  expect([existsSync(staged), existsSync(`${staged}.new`)]).toEqual([false, false])
})
