import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { freshDatabase, openTestClient } from '../../test/support/postgres.ts'
import { migrationsFolder } from './migrate.ts'

const sql = openTestClient(await freshDatabase())

const keys = 'of_all, client, block, service, has_depot, is_prefill, kind'

const counted = `
  SELECT of_all, CASE WHEN of_all THEN '' ELSE client END AS client,
    floor(extract(epoch FROM started_at) / 86400 / 8)::int AS block, service,
    title_key LIKE 'alpha:%' AS has_depot, is_prefill,
    (CASE WHEN hit_bytes + miss_bytes = 0 THEN 0 WHEN hit_bytes >= miss_bytes THEN 1 ELSE 2 END)
      ::smallint AS kind,
    count(*)::int AS downloads, sum(hit_bytes) AS hit_bytes, sum(miss_bytes) AS miss_bytes,
    max(ended_at) AS last_at
  FROM downloads CROSS JOIN (VALUES (false), (true)) AS sums(of_all) GROUP BY 1, 2, 3, 4, 5, 6, 7`

/** Every sum that differs from the rows, and every bound that is too early. */
const wrong = () =>
  sql.unsafe(`
    SELECT ${keys}, kept.downloads, counted.downloads, kept.last_at, counted.last_at
    FROM (SELECT * FROM download_blocks WHERE NOT of_all OR downloads <> 0) AS kept
    FULL JOIN (${counted}) AS counted USING (${keys})
    WHERE kept.last_at < counted.last_at
      OR (kept.downloads, kept.hit_bytes, kept.miss_bytes) IS DISTINCT FROM
        (counted.downloads, counted.hit_bytes, counted.miss_bytes)`)

/** Stores or changes downloads as the shipper does; numbers that only the round decides. */
const upsert = (round: number, rows: number) => sql`
  INSERT INTO downloads AS kept (id, datasource, service, tag, client, title_key, is_prefill,
    started_at, ended_at, hit_bytes, miss_bytes, requests, last_url, revision)
  SELECT 1 + (n * ${round}) % 211, 'default', 'steam', 'steam', left('abc', 1 + (n + ${round}) % 3),
    CASE n % 3 WHEN 0 THEN 'alpha:7' ELSE 'x' END, n % 5 = 0,
    to_timestamp(1728000000 + (n * 7919 * ${round}) % 12000000), to_timestamp(1741000000 + n),
    (n + ${round}) % 3 * 10, n * ${round} % 3 * 10, 1, '/', ${round}
  FROM generate_series(1, ${rows}::int) AS n
  ON CONFLICT (id) DO UPDATE SET client = excluded.client, started_at = excluded.started_at,
    ended_at = excluded.ended_at, hit_bytes = excluded.hit_bytes,
    miss_bytes = excluded.miss_bytes, revision = excluded.revision`

test('counts by client and block follow stored, changed and deleted downloads', async () => {
  for (let round = 1; round <= 30; round++) {
    await upsert(round, 1 + ((round * 37) % 90))
    if (round % 4 === 0)
      await sql`UPDATE downloads SET hit_bytes = miss_bytes, miss_bytes = hit_bytes`
    if (round % 5 === 0) await sql`DELETE FROM downloads WHERE id % 7 = ${round % 7}`
    if (round % 11 === 0) await sql`DELETE FROM downloads WHERE client = 'ab'`
    expect([...(await wrong())]).toEqual([])
  }
  const [all] = await sql`SELECT count(*)::int AS rows FROM download_blocks`
  expect(all?.['rows']).toBeGreaterThan(100)
})

test('a history of before these sums gets them from its groups', async () => {
  const made = await sql.unsafe(`
    SELECT ${keys}, downloads, hit_bytes, miss_bytes FROM download_blocks
    WHERE downloads <> 0 ORDER BY ${keys}`)
  await sql`DELETE FROM download_blocks`
  const migration = await Bun.file(join(migrationsFolder, '0006_block_bytes.sql')).text()
  for (const statement of migration.split('--> statement-breakpoint')) {
    if (statement.trim().startsWith('INSERT')) await sql.unsafe(statement)
  }
  expect([...(await wrong())]).toEqual([])
  const filled = await sql.unsafe(`
    SELECT ${keys}, downloads, hit_bytes, miss_bytes FROM download_blocks ORDER BY ${keys}`)
  expect([...filled]).toEqual([...made])
})

test('nothing is left of a client or of an emptied list', async () => {
  await sql`DELETE FROM downloads WHERE client = 'a'`
  const [left] = await sql`
    SELECT count(*)::int AS rows FROM download_blocks WHERE client = 'a'`
  expect(left?.['rows']).toBe(0)
  await sql`TRUNCATE downloads CASCADE`
  expect([...(await sql`SELECT * FROM download_blocks`)]).toEqual([])
})
