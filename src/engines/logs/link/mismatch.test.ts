import { afterEach, expect, test } from 'bun:test'
import { HistoryLinkFixture } from '../../../../test/support/history-link-fixture.ts'
import { freshDatabase, openTestClient } from '../../../../test/support/postgres.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import type { MismatchChoice } from '../wire.ts'

const timeoutMs = 60_000
const lines = 3000
let fixture: HistoryLinkFixture
afterEach(() => fixture.stop())

async function shippedSite(): Promise<void> {
  fixture = new HistoryLinkFixture(await freshDatabase())
  fixture.write(lines)
  fixture.start()
  await untilDownloads(lines)
  await fixture.stop()
}

const requests = async () => (await fixture.totals()).downloads?.requests ?? 0
const untilDownloads = (count: number) =>
  eventually(async () => (await requests()) === count, 'everything is shipped', timeoutMs)

async function untilMismatch(reason: string): Promise<MismatchChoice[]> {
  const { keeper } = fixture.running
  await eventually(() => keeper.mismatch !== null, 'the mismatch is found', timeoutMs)
  expect(keeper.mismatch).toMatchObject({ reason })
  const { state, message } = fixture.running.loop.ingest
  expect(state).toBe('mismatch')
  expect(message).not.toBeNull()
  return keeper.mismatch?.choices ?? []
}

/** Reading is paused: lines written in the meantime are not counted. */
async function expectHeld(): Promise<void> {
  const before = fixture.counted().requests
  fixture.write(10)
  await Bun.sleep(200)
  expect(fixture.counted().requests).toBe(before)
}

test('an empty history after a loss: sends nothing, then counts all again', async () => {
  await shippedSite()
  fixture.target = await freshDatabase()
  fixture.start()
  expect(await untilMismatch('historyEmpty')).toEqual(['goOn', 'rebuild'])
  await expectHeld()
  expect(fixture.choose('takePositions')).rejects.toThrow('not offered')
  await fixture.choose('rebuild')
  await untilDownloads(lines + 10)
  const { expected } = fixture
  expect(await fixture.totals()).toEqual({ traffic: expected, day: expected, downloads: expected })
  expect(fixture.counted()).toEqual(expected)
})

test('an empty history, kept empty: sends only new traffic', async () => {
  await shippedSite()
  fixture.target = await freshDatabase()
  fixture.start()
  await untilMismatch('historyEmpty')
  await fixture.choose('goOn')
  fixture.write(500)
  await eventually(
    async () => (await fixture.totals()).traffic?.requests === 500,
    'new rows are sent',
    timeoutMs,
  )
  // The history has all positions again: losing the file does no harm.
  await fixture.stop()
  fixture.replaceHot(null)
  fixture.start()
  await eventually(
    () => fixture.running.loop.ingest.outbox.link.link()?.epoch === 2,
    'positions are taken',
    timeoutMs,
  )
  fixture.write(100)
  await eventually(
    async () => (await fixture.totals()).traffic?.requests === 600,
    'new rows are sent',
    timeoutMs,
  )
})

test('a history from a backup: takes its positions and reads again what it lacks', async () => {
  await shippedSite()
  const { target } = fixture
  const backup = await freshDatabase()
  await copyHistory(backup)
  fixture.write(lines)
  fixture.start()
  await untilDownloads(2 * lines)
  await fixture.stop()
  expect(backup.database).not.toBe(target.database)
  fixture.target = backup
  fixture.start()
  expect(await untilMismatch('historyOlder')).toEqual(['takePositions', 'goOn', 'rebuild'])
  await fixture.choose('takePositions')
  await untilDownloads(2 * lines)
  const { expected } = fixture
  expect(await fixture.totals()).toEqual({ traffic: expected, day: expected, downloads: expected })
  expect(await fixture.downloadCount()).toBe(fixture.expectedDownloads.size)
})

/** Copies every table of the history, row by row. */
async function copyHistory(to: { database: string }): Promise<void> {
  const from = openTestClient(fixture.target)
  const into = openTestClient({ ...fixture.target, database: to.database })
  const copied = ['traffic_day', 'traffic_hour', 'downloads', 'download_objects', 'shipped_batch']
  await from`select 1`
  const months = await from<{ name: string }[]>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'traffic'::regclass`
  for (const { name } of months) {
    const [bounds] = await from<{ bounds: string }[]>`
      select pg_get_expr(relpartbound, oid) as bounds from pg_class where relname = ${name}`
    await into.unsafe(`create table ${name} partition of traffic ${bounds?.bounds ?? ''}`)
  }
  for (const table of [...copied, 'traffic', 'ingest_link', 'ingest_position']) {
    const [all] = await from.unsafe<{ rows: string }[]>(
      `select coalesce(json_agg(t), '[]')::text as rows from ${table} t`,
    )
    await into.unsafe(
      `insert into ${table} select * from json_populate_recordset(null::${table}, $1::text::json)`,
      [all?.rows ?? '[]'],
    )
  }
  await Promise.all([from.end(), into.end()])
}

test('another installation’s history: not written to, its positions unused', async () => {
  await shippedSite()
  fixture.replaceHot(null)
  fixture.installation = 'another-installation'
  fixture.start()
  const choices = await untilMismatch('positionsLost')
  expect(choices).toEqual(['takePositions', 'goOn', 'rebuild'])
  await fixture.choose('goOn')
  fixture.write(100)
  await eventually(
    async () => (await fixture.totals()).traffic?.requests === lines + 100,
    'only new lines are counted',
    timeoutMs,
  )
  expect(fixture.running.loop.ingest.tracker.skipped).toEqual([])
})

test('a batch that another copy sent is refused in the transaction itself', async () => {
  await shippedSite()
  fixture.copyHot('twin')
  fixture.write(lines)
  fixture.start()
  await untilDownloads(2 * lines)
  const sql = openTestClient(fixture.target)
  // As if another service had sent a batch after the check.
  await sql`update ingest_link set seq = seq + 1, batch_id = ${crypto.randomUUID()}`
  fixture.write(lines)
  await untilMismatch('positionsOlder')
  expect(await requests()).toBe(2 * lines)
})
