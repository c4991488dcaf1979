import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { eventually } from '../../../test/support/eventually.ts'
import type { HistoryTarget } from '../../../db/history/connect.ts'
import { openHot } from '../../../db/hot/open.ts'
import { firstSecond } from '../../../test/support/log-lines.ts'
import { freshDatabase, openTestClient } from '../../../test/support/postgres.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { createShipper, type Shipper } from '../shipper/shipper.ts'
import { HotOutbox } from './outbox.ts'
import { HotQuarantine, maxQuarantined } from './quarantine.ts'

const limitMs = 120_000
const victim = join(import.meta.dir, '../../../test/support/victims/quarantine.ts')

let folder = ''
let database: Database
let target: HistoryTarget
let sql: Sql
let shipper: Shipper | null = null

beforeEach(async () => {
  folder = tempFolder('quarantine')
  database = openHot(folder)
  target = await freshDatabase()
  sql = openTestClient(target)
})

afterEach(async () => {
  await shipper?.stop()
  shipper = null
  database.close()
  await sql.end()
})

const badClient = 'refused'
/** The end of its month is not a valid SQL date; the other is not a valid instant. */
const noMonth = Date.UTC(9999, 11, 31) / 1000
const noInstant = 9e13

function addTraffic(index: number, client: string, bucketAt = firstSecond): void {
  database
    .query(
      `INSERT INTO traffic_outbox (batch_id, bucket_at, datasource, service, client, title_key,
        is_prefill, hit_bytes, miss_bytes, requests, downloads, first_at, last_at, queued_at_ms)
      VALUES ('', ?, 'main', 'steam', ?, ?, 0, ?, 1, 1, 0, ?, ?, 1)`,
    )
    .run(bucketAt, client, `alpha:${index}`, index, firstSecond, firstSecond)
}

function addDownload(id: number, endedAt = firstSecond): void {
  database
    .query(
      `INSERT INTO download_outbox (id, datasource, service, tag, client, title_key, is_prefill,
        started_at, ended_at, hit_bytes, miss_bytes, requests, last_url, object_keys, revision,
        batch_id, queued_at_ms)
      VALUES (?, 'main', 'steam', 'steam', '10.0.0.1', 'alpha:1', 0, ?, ?, 1, 1, 1, '/a', '[]', 1, '', 1)`,
    )
    .run(id, firstSecond, endedAt)
}

/** Rows that the history accepts, with some in between that it refuses. */
function fill(rows: number, bad: { client?: string; bucketAt?: number; every: number }): number {
  let refused = 0
  database.transaction(() => {
    for (let index = 0; index < rows; index++) {
      const isBad = index % bad.every === 7
      refused += isBad ? 1 : 0
      addTraffic(index, (isBad ? bad.client : null) ?? '10.0.0.1', isBad ? bad.bucketAt : undefined)
    }
  })()
  return refused
}

const sumOf = (rows: number, isTaken: (index: number) => boolean) => {
  const taken = Array.from({ length: rows }, (_, index) => index).filter(isTaken)
  return { hit: taken.reduce((sum, index) => sum + index, 0), requests: taken.length }
}

async function stored(table: string) {
  const [row] = await sql.unsafe<{ hit: number; requests: number }[]>(
    `SELECT coalesce(sum(hit_bytes), 0)::float8 AS hit,
      coalesce(sum(requests), 0)::float8 AS requests FROM ${table}`,
  )
  return { ...row }
}

function run() {
  const outbox = new HotOutbox(database)
  const { quarantine } = outbox
  shipper = createShipper({ outbox, quarantine, log: () => {}, onShipped: () => {} })
  shipper.connect(target)
  const done = () =>
    eventually(() => outbox.oldestMs() === null, 'the outbox is empty', limitMs).catch((cause) => {
      throw new Error(`stuck: ${shipper?.status().lastError}`, { cause })
    })
  return { quarantine, done }
}

const levels = ['traffic', 'traffic_hour', 'traffic_day']

test('a refused row is quarantined; all others are stored', async () => {
  const rows = 2000
  const refused = fill(rows, { bucketAt: noMonth, every: 900 })
  for (let id = 1; id <= 60; id++) addDownload(id, id === 33 ? noInstant : firstSecond)
  const { quarantine, done } = run()
  await done()
  const expected = sumOf(rows, (index) => index % 900 !== 7)
  for (const table of levels) expect(await stored(table)).toEqual(expected)
  expect(await stored('downloads')).toEqual({ hit: 59, requests: 59 })
  const { total, rows: listed } = quarantine.list()
  expect(total).toBe(refused + 1)
  expect(listed.map(({ kind }) => kind).sort()).toEqual([
    'download',
    ...Array.from({ length: refused }, () => 'traffic' as const),
  ])
  for (const row of listed) {
    expect(row.reason).not.toBe('')
    expect(row.sample).toContain(String(row.kind === 'traffic' ? noMonth : noInstant))
  }
})

test('of a download that grows, the newest refused state is kept', async () => {
  addDownload(1, noInstant)
  const { quarantine, done } = run()
  await done()
  addDownload(1, noInstant + 1)
  addDownload(2, noInstant)
  shipper?.kick()
  await done()
  const samples = quarantine.list().rows.map(({ sample }) => sample)
  expect(samples).toHaveLength(2)
  expect(samples.some((sample) => sample.includes(String(noInstant + 1)))).toBe(true)
})

test('quarantined rows can be sent again, once', async () => {
  await sql`ALTER TABLE traffic ADD CONSTRAINT no_bad CHECK (client <> ${sql.unsafe(`'${badClient}'`)})`
  const rows = 300
  const refused = fill(rows, { client: badClient, every: 100 })
  const { quarantine, done } = run()
  await done()
  expect(quarantine.count).toBe(refused)
  expect(quarantine.list().rows[0]?.reason).toContain('23514')
  await sql`ALTER TABLE traffic DROP CONSTRAINT no_bad`
  // The same bucket has grown since.
  addTraffic(7, badClient)
  expect(quarantine.retry()).toBe(refused)
  shipper?.kick()
  await done()
  expect(quarantine.count).toBe(0)
  const all = sumOf(rows, () => true)
  const expected = { hit: all.hit + 7, requests: all.requests + 1 }
  for (const table of levels) expect(await stored(table)).toEqual(expected)
})

test('a fault not caused by rows quarantines nothing and is reported', async () => {
  await sql`ALTER TABLE traffic_day RENAME TO elsewhere`
  fill(50, { every: 1000 })
  const { quarantine, done } = run()
  await eventually(() => shipper?.status().lastError !== null, 'the fault is reported', limitMs)
  expect(shipper?.status().lastError).toContain('42P01')
  expect(quarantine.count).toBe(0)
  await sql`ALTER TABLE elsewhere RENAME TO traffic_day`
  shipper?.connect(target)
  await done()
  for (const table of levels) expect(await stored(table)).toEqual(sumOf(50, () => true))
})

test('a full quarantine keeps rows in the outbox and reports it', async () => {
  database.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
    WHERE i < ${maxQuarantined}) INSERT INTO quarantine (kind, reason, row, set_aside_at_ms)
    SELECT 'traffic', 'why', '{}', 1 FROM n`)
  addTraffic(1, '10.0.0.1', noInstant)
  run()
  await eventually(() => shipper?.status().lastError !== null, 'the fault is reported', limitMs)
  expect(shipper?.status().lastError).toContain('quarantine for them is full')
  expect(new HotOutbox(database).oldestMs()).not.toBeNull()
})

test('killed at any moment of the search for refused rows, every row counts once', async () => {
  const rows = 4000
  const refused = fill(rows, { bucketAt: noMonth, every: 1100 })
  let kills = 0
  for (let delayMs = 40; ; delayMs += 60) {
    const command = ['bun', victim, folder, JSON.stringify(target)]
    const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
    await child.stdout.getReader().read()
    const timer = setTimeout(() => child.kill('SIGKILL'), delayMs)
    await child.exited
    clearTimeout(timer)
    if (child.signalCode === null) break
    kills++
  }
  expect(kills).toBeGreaterThan(2)
  const expected = sumOf(rows, (index) => index % 1100 !== 7)
  for (const table of levels) expect(await stored(table)).toEqual(expected)
  expect(new HotQuarantine(database).count).toBe(refused)
})
