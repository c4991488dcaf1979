import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { eventually } from '../support/eventually.ts'
import { openTestClient } from '../support/postgres.ts'
import { seedHistory } from '../support/seed-history.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { labAccount, Larder } from './larder.ts'

const root = tempFolder('history-retention')
const retention = '/api/ext/history/retention'
const downloads = 20_000
let larder: Larder
let visitor: Visitor
let sql: Sql
/** Everything before this instant goes, Unix seconds. */
let until = 0

async function start(): Promise<void> {
  larder = await Larder.startIn(root)
  await eventually(() => larder.output.includes('history ready'), 'the history is there')
  sql = openTestClient(larder.historyTarget())
}

beforeAll(async () => {
  await start()
  visitor = await larder.firstSignIn()
  await seedHistory(larder.historyTarget(), { downloads, until: new Date(), titles: 40 })
  await visitor.write('PUT', retention, { keepMonths: 2 })
  const { until: instant } = await visitor.read<{ until: string }>(`${retention}/preview`)
  until = Date.parse(instant) / 1000
})

afterAll(async () => {
  await sql.end({ timeout: 0 })
  await larder.stop()
})

const tables = (
  'traffic_hour traffic_day service_quarter time_hour service_hour client_hour service_day ' +
  'client_day client_service_day title_day service_block client_block client_service_block ' +
  'time_day hour_block day_peak download_groups title_groups'
).split(' ')

/** Every row of all sums, every row that is to stay, and what pages show of them. */
async function kept(): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  const rows = (name: string, from: string) => sql`
    SELECT ${name} AS name, count(*)::int AS rows, sum(hashtextextended(t::text, 0)) AS content
    FROM (${sql.unsafe(`SELECT * FROM ${from}`)}) AS t`
  for (const table of tables) found[table] = [...(await rows(table, table))]
  const stays = `to_timestamp(${until})`
  found['downloads'] = [
    ...(await rows('downloads', `downloads WHERE started_at >= ${stays}`)),
    ...(await rows(
      'objects',
      `download_objects WHERE download_id IN (SELECT id FROM downloads WHERE started_at >= ${stays})`,
    )),
    ...(await rows('traffic', `traffic WHERE bucket_at >= ${stays}`)),
  ]
  for (const path of ['/api/stats/services', '/api/stats/clients?includeExcluded=true'])
    found[path] = await visitor.read(path)
  return found
}

/** How much is left of what goes, and how much of it belongs to nothing. */
async function old(): Promise<{ rows: number; partitions: number; lost: number }> {
  const [row] = await sql<{ rows: number; partitions: number; lost: number }[]>`
    SELECT (SELECT count(*)::int FROM downloads WHERE started_at < to_timestamp(${until})) AS rows,
      (SELECT count(DISTINCT tableoid)::int FROM traffic
        WHERE bucket_at < to_timestamp(${until})) AS partitions,
      (SELECT count(*)::int FROM download_objects
        WHERE download_id NOT IN (SELECT id FROM downloads)) AS lost`
  return row ?? { rows: 0, partitions: 0, lost: 0 }
}

/** Kills the service while its retention waits for a lock that a transaction holds. */
async function killWhileLocked(hold: (holder: Sql) => Promise<unknown>): Promise<void> {
  const holder = openTestClient(larder.historyTarget())
  await holder`BEGIN`
  await hold(holder)
  await visitor.write('POST', `${retention}/run`)
  const isWaiting = async () => {
    const waiting = await sql`
      SELECT 1 FROM pg_stat_activity
      WHERE application_name = 'larder-retention' AND wait_event_type = 'Lock'`
    return waiting.length > 0
  }
  await eventually(isWaiting, 'the retention waits')
  await larder.kill()
  await holder`ROLLBACK`
  await Promise.all([holder.end({ timeout: 0 }), sql.end({ timeout: 0 })])
  await start()
  visitor = new Visitor(larder.url)
  await visitor.signIn(installationKey(join(root, 'data')), labAccount)
}

test('a retention that is killed loses only what was to go, and the next one continues it', async () => {
  const before = await kept()
  const all = await old()
  expect(all.rows).toBeGreaterThan(15_000)
  expect(all.partitions).toBeGreaterThan(8)

  // In the middle of its batches: one of their rows is locked.
  await killWhileLocked(
    (holder) => holder`
      SELECT 1 FROM downloads WHERE id = (
        SELECT id FROM downloads ORDER BY started_at, id LIMIT 1 OFFSET ${all.rows >> 1})
      FOR UPDATE`,
  )
  const some = await old()
  expect(some.rows).toBeGreaterThan(0)
  expect(some.rows).toBeLessThan(all.rows)
  expect(some).toMatchObject({ partitions: all.partitions, lost: 0 })
  expect(await kept()).toEqual(before)

  // In the middle of its partitions: one of them is being read.
  const [middle] = await sql<{ name: string }[]>`
    SELECT DISTINCT tableoid::regclass::text AS name FROM traffic
    WHERE bucket_at < to_timestamp(${until}) ORDER BY 1 OFFSET ${all.partitions >> 1} LIMIT 1`
  await killWhileLocked(
    (holder) => holder`LOCK TABLE ${holder(middle?.name ?? '')} IN ACCESS SHARE MODE`,
  )
  const few = await old()
  expect(few).toMatchObject({ rows: 0, lost: 0 })
  expect(few.partitions).toBeGreaterThan(0)
  expect(few.partitions).toBeLessThan(all.partitions)
  expect(await kept()).toEqual(before)

  await visitor.write('POST', `${retention}/run`)
  await eventually(async () => (await old()).partitions === 0, 'nothing old is left')
  expect(await old()).toEqual({ rows: 0, partitions: 0, lost: 0 })
  expect(await kept()).toEqual(before)
})
