import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Sql } from 'postgres'
import { freshDatabase, openTestClient } from '../../test/support/postgres.ts'
import { blockSeconds, efficiencyClasses, efficiencyStep, sizeFloors } from './single-classes.ts'

let sql: Sql
beforeAll(async () => {
  sql = openTestClient(await freshDatabase())
}, 60_000)
afterAll(() => sql.end())

const daySeconds = 86_400
const firstAt = 20_000 * daySeconds

interface Row {
  client: string
  titleKey: string
  isPrefill: boolean
  isEvicted: boolean
  started: number
  ended: number
  hit: number
  miss: number
}

/** Classes of one download by end, size and share from the cache, by the words of the schema. */
function bucketsOf({ ended, hit, miss }: Row): number[] {
  const block = Math.floor(ended / blockSeconds)
  const size = sizeFloors.filter((floor) => floor <= hit + miss).length
  const level = Math.floor((hit / (hit + miss)) * efficiencyClasses)
  if (hit === 0) return [block, size, block]
  return [block, size, (level + 1) * efficiencyStep + (miss === 0 ? block : 0)]
}

/** What the counts have to be, from all downloads. */
async function trueCounts(): Promise<Map<string, string>> {
  const rows = await sql<Row[]>`
    SELECT client, title_key AS "titleKey", is_prefill AS "isPrefill", is_evicted AS "isEvicted",
      extract(epoch FROM started_at)::float8 AS started,
      extract(epoch FROM ended_at)::float8 AS ended, hit_bytes::float8 AS hit,
      miss_bytes::float8 AS miss
    FROM downloads`
  const counts = new Map<string, [number, number]>()
  for (const row of rows) {
    if (row.titleKey.startsWith('alpha:') || row.isPrefill || row.hit + row.miss === 0) continue
    const kind = row.hit >= row.miss ? 1 : 2
    for (const span of [0, 8, 64]) {
      const block = span === 0 ? 0 : Math.floor(row.started / daySeconds / span)
      for (const client of ['', row.client]) {
        for (const [sorting, bucket] of bucketsOf(row).entries()) {
          const key = [span, sorting, client, block, bucket, kind].join(' ')
          const [downloads, evicted] = counts.get(key) ?? [0, 0]
          counts.set(key, [downloads + 1, evicted + (row.isEvicted ? 1 : 0)])
        }
      }
    }
  }
  return new Map([...counts].map(([key, values]) => [key, values.join(' ')]))
}

async function expectTrueCounts(): Promise<void> {
  const rows = await sql<{ key: string; value: string }[]>`
    SELECT concat_ws(' ', span_days, sorting, client, block, bucket, kind) AS key,
      concat_ws(' ', downloads, evicted) AS value
    FROM single_counts`
  const stored = new Map(rows.map(({ key, value }) => [key, value]))
  expect(stored.size).toBe(rows.length)
  expect(stored).toEqual(await trueCounts())
}

test('counts follow whatever happens to downloads, late ones and flags included', async () => {
  let seed = 5
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  const sizes = [0, 0, 1, 4096, 6143, 1_000_000, 3_000_000_000]
  let largest = 0
  for (let round = 1; round <= 60; round++) {
    const started = firstAt + random(140 * daySeconds)
    // Several at once, of which some are there already.
    await sql`
      INSERT INTO downloads AS kept (id, datasource, service, tag, client, title_key, is_prefill,
        started_at, ended_at, hit_bytes, miss_bytes, requests, last_url, revision)
      SELECT id, 'default', 'wsus', 'wsus', ${'abc'.charAt(random(3))},
        ${['', 'x', 'alpha:7'][random(3)] ?? ''}, ${random(5) === 0}, to_timestamp(${started}),
        to_timestamp(${started + random(3) * 400_000}), ${sizes[random(7)] ?? 0},
        ${sizes[random(7)] ?? 0}, 1, '/', ${round}
      FROM generate_series(${random(20)}::bigint, ${20 + random(6)}::bigint, 4) AS id
      ON CONFLICT (id) DO UPDATE SET client = excluded.client, title_key = excluded.title_key,
        is_prefill = excluded.is_prefill, started_at = excluded.started_at,
        ended_at = excluded.ended_at, hit_bytes = excluded.hit_bytes,
        miss_bytes = excluded.miss_bytes, revision = excluded.revision
      WHERE excluded.revision > kept.revision`
    if (round % 7 === 0)
      await sql`UPDATE downloads SET is_evicted = NOT is_evicted WHERE id % 3 = 0`
    if (round % 9 === 0)
      await sql`UPDATE downloads SET hit_bytes = miss_bytes, miss_bytes = hit_bytes`
    if (round % 10 === 0) await sql`DELETE FROM downloads WHERE id % 5 = ${random(5)}`
    if (round % 4 === 0) await expectTrueCounts()
    largest = Math.max(largest, (await trueCounts()).size)
  }
  expect(largest).toBeGreaterThan(50)
  await sql`DELETE FROM downloads`
  await expectTrueCounts()
  await sql`TRUNCATE downloads CASCADE`
  expect([...(await sql`SELECT 1 FROM single_counts`)]).toEqual([])
})

test('classes of size begin where the database says', async () => {
  for (const [index, floor] of sizeFloors.entries()) {
    const [row] = await sql`
      SELECT single_size_bucket(${floor - 1}::bigint) AS below,
        single_size_bucket(${floor}::bigint) AS "from"`
    expect(row).toEqual({ below: index, from: index + 1 })
  }
})

test('blocks and classes change with the microsecond', async () => {
  const border = 2600 * blockSeconds
  const [row] = await sql`
    SELECT download_block(8, at) AS block, download_block(8, at - '1 us'::interval) AS before,
      single_ended_bucket(at) AS ended, single_ended_bucket(at - '1 us'::interval) AS "endedBefore",
      download_block(64, to_timestamp(-1)) AS negative, single_ended_bucket(to_timestamp(-1)) AS least
    FROM (SELECT to_timestamp(${border}) AS at) AS border`
  expect(row).toEqual({
    block: 2600,
    before: 2599,
    ended: 2600,
    endedBefore: 2599,
    negative: -1,
    least: 0,
  })
})
