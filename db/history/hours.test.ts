import { expect, test } from 'bun:test'
import type { Sql } from 'postgres'
import { historyAfter } from '../../test/support/older-history.ts'
import { freshDatabase, openTestClient } from '../../test/support/postgres.ts'
import { migrateHistory } from './migrate.ts'

const target = await freshDatabase()
const sql = openTestClient(target)

const peaks = (of: Sql) => of`SELECT * FROM day_peak ORDER BY 1`

/** Sums of hours by day, by hour of 8 days and the busiest hours, as one query each. */
async function expectTrueHours(of: Sql): Promise<void> {
  const summed = (bucket: string) => `
    SELECT ${bucket} AS bucket_at, is_prefill, sum(hit_bytes)::bigint AS hit_bytes,
      sum(miss_bytes)::bigint AS miss_bytes, sum(requests)::bigint AS requests,
      sum(downloads)::bigint AS downloads
    FROM traffic_hour GROUP BY 1, 2 ORDER BY 1, 2`
  const block = `to_timestamp(floor(extract(epoch FROM bucket_at) / 691200) * 691200
    + extract(epoch FROM bucket_at)::bigint % 86400)`
  for (const [table, bucket] of [
    ['time_hour', 'bucket_at'],
    ['time_day', "date_trunc('day', bucket_at, 'UTC')"],
    ['hour_block', block],
  ] as const) {
    const stored = await of.unsafe(`
      SELECT bucket_at, is_prefill, hit_bytes, miss_bytes, requests, downloads
      FROM ${table} ORDER BY 1, 2`)
    expect([...stored]).toEqual([...(await of.unsafe(summed(bucket)))])
  }
  const busiest = await of`
    SELECT DISTINCT ON (1) date_trunc('day', bucket_at, 'UTC') AS bucket_at, bucket_at AS hour_at,
      sum(hit_bytes)::bigint AS hit_bytes, sum(miss_bytes)::bigint AS miss_bytes
    FROM traffic_hour WHERE NOT is_prefill GROUP BY bucket_at
    ORDER BY 1, sum(hit_bytes + miss_bytes) DESC, traffic_hour.bucket_at`
  expect([...(await peaks(of))]).toEqual([...busiest])
}

test('after any changes of hours, their sums and the busiest ones match the rows', async () => {
  let seed = 7
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  const first = 20_000 * 86_400
  for (let round = 1; round <= 60; round++) {
    const rows = Array.from({ length: 1 + random(8) }, () => ({
      at: first + random(12 * 24) * 3600,
      client: 'abc'.charAt(random(3)),
      service: ['steam', 'riot'][random(2)] ?? '',
      isPrefill: random(4) === 0,
      hit: random(3) * 10,
      miss: random(3) * 10,
    }))
    const keyed = new Map(
      rows.map((row) => [JSON.stringify([row.at, row.client, row.service, row.isPrefill]), row]),
    )
    await sql`
      INSERT INTO traffic_hour AS kept
      SELECT to_timestamp(at), 'default', service, client, 'x', "isPrefill", hit, miss, 1, 1,
        to_timestamp(at), to_timestamp(at + 9)
      FROM jsonb_to_recordset(${sql.json([...keyed.values()])}) AS row (at bigint, client text,
        service text, "isPrefill" boolean, hit bigint, miss bigint)
      ON CONFLICT (title_key, bucket_at, client, service, datasource, is_prefill) DO UPDATE SET
        hit_bytes = kept.hit_bytes + excluded.hit_bytes,
        miss_bytes = kept.miss_bytes + excluded.miss_bytes,
        requests = kept.requests + 1, downloads = kept.downloads + 1`
    if (round % 5 === 0) {
      await sql`UPDATE traffic_hour SET hit_bytes = miss_bytes, miss_bytes = hit_bytes / 2
        WHERE client = ${'abc'.charAt(random(3))}`
    }
    if (round % 4 === 0) {
      await sql`DELETE FROM traffic_hour WHERE bucket_at >= to_timestamp(${first + random(12) * 86_400})
        AND client = ${'abc'.charAt(random(3))}`
    }
    if (round % 5 === 0) await expectTrueHours(sql)
  }
  await sql`DELETE FROM traffic_hour`
  await expectTrueHours(sql)
})

test('a day finds its busiest hour while two writers change its hours', async () => {
  const at = new Date('2024-10-04T00:00:00Z')
  const put = (of: Sql, hour: number, hit: number) => of`
    INSERT INTO traffic_hour AS kept VALUES (${at}::timestamptz + make_interval(hours => ${hour}),
      'default', 'steam', 'a', 'x', false, ${hit}, 0, 1, 1, ${at}, ${at})
    ON CONFLICT (title_key, bucket_at, client, service, datasource, is_prefill)
      DO UPDATE SET hit_bytes = excluded.hit_bytes`
  await put(sql, 1, 100)
  const other = openTestClient(target)
  const added = Promise.withResolvers<void>()
  const isSeen = Promise.withResolvers<void>()
  const adding = other.begin(async (transaction) => {
    await put(transaction as unknown as Sql, 2, 150)
    added.resolve()
    await isSeen.promise
  })
  await added.promise
  const lowering = put(sql, 1, 10).execute()
  isSeen.resolve()
  await Promise.all([adding, lowering])
  await expectTrueHours(sql)
  await sql`DELETE FROM traffic_hour`
})

test('a history of before the sums of days and hours of the day gets them from its hours', async () => {
  const older = await historyAfter(4)
  // Its triggers are those of today.
  await older`ALTER TABLE traffic_hour DISABLE TRIGGER USER`
  await older`ALTER TABLE time_hour DISABLE TRIGGER USER`
  await older`
    INSERT INTO traffic_hour SELECT at, 'default', 'steam', 'a', 'x', n % 5 = 0, n % 7, n % 3, 1, 1, at, at
    FROM generate_series(0, 500) AS n
    CROSS JOIN LATERAL (SELECT to_timestamp((n * 5 + 7) * 3600)) AS hours(at)`
  await older`
    INSERT INTO time_hour SELECT bucket_at, is_prefill, hit_bytes, miss_bytes, requests, downloads,
      first_at, last_at FROM traffic_hour`
  await migrateHistory(older)
  await expectTrueHours(older)
  await older.end()
})
