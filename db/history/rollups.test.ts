import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Sql } from 'postgres'
import { ensurePartitions, monthsOf } from '../../src/engines/shipper/partitions.ts'
import { freshDatabase, openTestClient } from '../../test/support/postgres.ts'

let sql: Sql
beforeAll(async () => {
  sql = openTestClient(await freshDatabase())
  await sql.begin((transaction) => ensurePartitions(transaction, monthsOf([1_767_225_600])))
}, 60_000)
afterAll(() => sql.end())

const day = '2026-01-01T'
const levels = ['traffic', 'traffic_hour', 'traffic_day'] as const

/** Adds to all levels, as the shipper does. */
async function add(client: string, title: string, hit: number): Promise<void> {
  for (const level of levels) {
    const start = { traffic: '00:20', traffic_hour: '00:00', traffic_day: '00:00' }[level]
    await sql`
      INSERT INTO ${sql(level)} AS kept VALUES (${`${day}${start}Z`}::text::timestamptz, 'default',
        'steam', ${client}, ${title}, false, ${hit}, 1, 2, 1, ${`${day}00:21Z`}::text::timestamptz,
        ${`${day}00:22Z`}::text::timestamptz)
      ON CONFLICT (bucket_at, datasource, service, client, title_key, is_prefill) DO UPDATE SET
        hit_bytes = kept.hit_bytes + excluded.hit_bytes,
        miss_bytes = kept.miss_bytes + excluded.miss_bytes,
        requests = kept.requests + excluded.requests,
        downloads = kept.downloads + excluded.downloads`
  }
}

interface Sums {
  at: number
  hit: number
  miss: number
  requests: number
  downloads: number
}

const sums = async (table: string): Promise<Sums[]> => [
  ...(await sql.unsafe<Sums[]>(`
    select extract(epoch from bucket_at)::int - 1767225600 as at, hit_bytes::int as hit,
      miss_bytes::int as miss, requests::int, downloads::int from ${table} order by 1, 2`)),
]

const all = [
  'service_quarter',
  'service_hour',
  'service_day',
  'client_day',
  'client_hour',
  'client_service_day',
]

test('sums follow rows that are added, grow and go', async () => {
  await add('a', 'x', 10)
  await add('b', 'x', 100)
  await add('a', 'x', 1000)
  const row = { at: 0, hit: 1110, miss: 3, requests: 6, downloads: 3 }
  expect(await sums('service_quarter')).toEqual([{ ...row, at: 900 }])
  expect(await sums('service_hour')).toEqual([row])
  expect(await sums('service_day')).toEqual([row])
  for (const table of ['client_day', 'client_hour', 'client_service_day']) {
    expect(await sums(table)).toEqual([
      { at: 0, hit: 100, miss: 1, requests: 2, downloads: 1 },
      { at: 0, hit: 1010, miss: 2, requests: 4, downloads: 2 },
    ])
  }
  for (const level of levels) await sql`DELETE FROM ${sql(level)} WHERE client = 'a'`
  for (const table of all) expect((await sums(table)).map(({ hit }) => hit)).toEqual([100])
  for (const level of levels) await sql`DELETE FROM ${sql(level)}`
  for (const table of all) expect(await sums(table)).toEqual([])
})

test('emptied tables leave nothing behind', async () => {
  await add('a', 'x', 10)
  for (const level of levels) await sql`TRUNCATE ${sql(level)}`
  for (const table of all) expect(await sums(table)).toEqual([])
})

interface Download {
  id: number
  ended: number
  hit: number
  miss: number
  revision?: number
}

const upsert = ({ id, ended, hit, miss, revision = 1 }: Download) => sql`
  INSERT INTO downloads AS kept (id, datasource, service, tag, client, title_key, is_prefill,
    started_at, ended_at, hit_bytes, miss_bytes, requests, last_url, revision)
  VALUES (${id}, 'default', 'steam', 'steam', 'a', 'x', false, to_timestamp(${id * 100}),
    to_timestamp(${ended}), ${hit}, ${miss}, 1, '/', ${revision})
  ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at, hit_bytes = excluded.hit_bytes,
    miss_bytes = excluded.miss_bytes, revision = excluded.revision
  WHERE excluded.revision > kept.revision`

const groups = async (): Promise<Record<string, unknown>[]> => [
  ...(await sql`
    SELECT downloads::int, mostly_hit::int AS hits, evicted::int, hit_bytes::int AS hit,
      miss_bytes::int AS miss, timed_bytes::int AS timed, speed_weight AS weight,
      extract(epoch FROM first_at)::int AS first, extract(epoch FROM last_at)::int AS last
    FROM download_groups`),
]

test('groups of downloads follow newer states, flags and deletions', async () => {
  await upsert({ id: 1, ended: 110, hit: 60, miss: 0 })
  await upsert({ id: 2, ended: 200, hit: 0, miss: 0 })
  const first = { downloads: 1, hits: 1, evicted: 0, hit: 60, miss: 0 }
  expect(await groups()).toEqual([{ ...first, timed: 60, weight: 360, first: 100, last: 110 }])
  await upsert({ id: 1, ended: 120, hit: 60, miss: 80, revision: 2 })
  await upsert({ id: 1, ended: 999, hit: 999, miss: 999, revision: 2 })
  await upsert({ id: 2, ended: 250, hit: 50, miss: 50, revision: 2 })
  await upsert({ id: 3, ended: 300, hit: 0, miss: 5 })
  expect(await groups()).toEqual([
    {
      downloads: 3,
      hits: 1,
      evicted: 0,
      hit: 110,
      miss: 135,
      timed: 240,
      weight: 140 * 7 + 100 * 2,
      first: 100,
      last: 300,
    },
  ])
  await sql`UPDATE downloads SET is_evicted = true WHERE id < 3`
  expect(await groups()).toMatchObject([{ evicted: 2, downloads: 3, hit: 110 }])
  await sql`DELETE FROM downloads WHERE id IN (1, 3)`
  expect(await groups()).toMatchObject([
    { downloads: 1, evicted: 1, hit: 50, miss: 50, timed: 100, first: 200, last: 250 },
  ])
  await sql`TRUNCATE downloads CASCADE`
  expect(await groups()).toEqual([])
})
