import { expect, test } from 'bun:test'
import { ensurePartitions, monthsOf } from '../../src/engines/shipper/partitions.ts'
import { eventually } from '../../test/support/eventually.ts'
import { emptyDatabase, freshDatabase, openTestClient } from '../../test/support/postgres.ts'
import { historyAfter } from '../../test/support/older-history.ts'
import type { HistoryTarget } from './connect.ts'
import { appliedMigrations, migrateHistory } from './migrate.ts'

const sql = openTestClient(await freshDatabase())
await sql.begin((transaction) => ensurePartitions(transaction, monthsOf([1_767_225_600])))

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
  'time_hour',
  'service_day',
  'title_day',
  'client_day',
  'client_hour',
  'client_service_day',
  'service_block',
  'client_block',
  'client_service_block',
  'time_day',
  'hour_block',
]

test('sums follow inserted, updated and deleted rows', async () => {
  await add('a', 'x', 10)
  await add('b', 'x', 100)
  await add('a', 'x', 1000)
  const row = { at: 0, hit: 1110, miss: 3, requests: 6, downloads: 3 }
  expect(await sums('service_quarter')).toEqual([{ ...row, at: 900 }])
  expect(await sums('service_hour')).toEqual([row])
  expect(await sums('time_hour')).toEqual([row])
  expect(await sums('service_day')).toEqual([row])
  expect(await sums('time_day')).toEqual([row])
  expect(await sums('hour_block')).toEqual([{ ...row, at: -6 * 86_400 }])
  expect(await sums('title_day')).toEqual([row])
  const block = Math.floor(1_767_225_600 / 86_400 / 64) * 64 * 86_400 - 1_767_225_600
  expect(await sums('service_block')).toEqual([{ ...row, at: block }])
  for (const [table, at] of [
    ['client_day', 0],
    ['client_hour', 0],
    ['client_service_day', 0],
    ['client_block', block],
    ['client_service_block', block],
  ] as const) {
    expect(await sums(table)).toEqual([
      { at, hit: 100, miss: 1, requests: 2, downloads: 1 },
      { at, hit: 1010, miss: 2, requests: 4, downloads: 2 },
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
  expect([...(await sql`SELECT FROM day_peak`)]).toEqual([])
})

interface Download {
  id: number
  client?: string
  started?: number
  ended: number
  hit: number
  miss: number
  revision?: number
}

const upsert = ({
  id,
  client = 'a',
  started = id * 100,
  ended,
  hit,
  miss,
  revision = 1,
}: Download) =>
  sql`
    INSERT INTO downloads AS kept (id, datasource, service, tag, client, title_key, is_prefill,
      started_at, ended_at, hit_bytes, miss_bytes, requests, last_url, revision)
    VALUES (${id}, 'default', 'steam', 'steam', ${client}, 'x', false, to_timestamp(${started}),
      to_timestamp(${ended}), ${hit}, ${miss}, 1, '/', ${revision})
    ON CONFLICT (id) DO UPDATE SET client = excluded.client, started_at = excluded.started_at,
      ended_at = excluded.ended_at, hit_bytes = excluded.hit_bytes,
      miss_bytes = excluded.miss_bytes, revision = excluded.revision
    WHERE excluded.revision > kept.revision`

const columns = `kind, downloads::int, evicted::int, hit_bytes::int AS hit, miss_bytes::int AS miss,
  timed_bytes::int AS timed, round(speed_weight) + 0 AS weight, extract(epoch FROM first_at)::int AS first,
  extract(epoch FROM last_at)::int AS last`

const groups = async (): Promise<Record<string, unknown>[]> => [
  ...(await sql.unsafe(`
    SELECT ${columns} FROM download_groups WHERE span_days = 0 ORDER BY kind`)),
]

const daySeconds = 86_400

const groupKeys = {
  download_groups: 'title_key, client, service, is_prefill',
  title_groups: 'title_key, service, is_prefill',
}

/** The expected groups with and without client, summed from all downloads. */
async function expectTrueGroups(): Promise<void> {
  await expectTrueSums('download_groups')
  await expectTrueSums('title_groups')
}

async function expectTrueSums(table: keyof typeof groupKeys): Promise<void> {
  const keys = groupKeys[table]
  const order = `span_days, block, ${keys}, kind`
  const stored = await sql.unsafe(`
    SELECT span_days, block, ${keys}, ${columns} FROM ${table} ORDER BY ${order}`)
  const summed = await sql.unsafe(`
    SELECT span_days, CASE span_days WHEN 0 THEN 0
        ELSE floor(extract(epoch FROM started_at) / ${daySeconds} / span_days)::int END AS block,
      ${keys},
      (CASE WHEN hit_bytes + miss_bytes = 0 THEN 0 WHEN hit_bytes >= miss_bytes THEN 1 ELSE 2 END)
        ::smallint AS kind,
      count(*)::int AS downloads, (count(*) FILTER (WHERE is_evicted))::int AS evicted,
      sum(hit_bytes)::int AS hit, sum(miss_bytes)::int AS miss,
      coalesce(sum(hit_bytes + miss_bytes) FILTER (WHERE ended_at > started_at), 0)::int AS timed,
      round(coalesce(sum((hit_bytes + miss_bytes)::float8 * (hit_bytes + miss_bytes)
        / nullif(extract(epoch FROM ended_at - started_at)::float8, 0)), 0)) AS weight,
      extract(epoch FROM min(started_at))::int AS first,
      extract(epoch FROM max(ended_at))::int AS last
    FROM downloads CROSS JOIN (VALUES (0::smallint), (8), (64)) AS spans(span_days)
    GROUP BY ${order} ORDER BY ${order}`)
  expect([...stored]).toEqual([...summed])
}

test('groups of downloads follow newer states, flags and deletions', async () => {
  await upsert({ id: 1, ended: 110, hit: 60, miss: 0 })
  await upsert({ id: 2, ended: 200, hit: 0, miss: 0 })
  const first = { kind: 1, downloads: 1, evicted: 0, hit: 60, miss: 0, timed: 60, weight: 360 }
  const empty = { kind: 0, downloads: 1, evicted: 0, hit: 0, miss: 0, timed: 0, weight: 0 }
  expect(await groups()).toEqual([
    { ...empty, first: 200, last: 200 },
    { ...first, first: 100, last: 110 },
  ])
  await upsert({ id: 1, ended: 120, hit: 60, miss: 80, revision: 2 })
  await upsert({ id: 1, ended: 999, hit: 999, miss: 999, revision: 2 })
  await upsert({ id: 2, ended: 250, hit: 50, miss: 50, revision: 2 })
  await upsert({ id: 3, ended: 300, hit: 0, miss: 5 })
  const misses = { kind: 2, downloads: 2, evicted: 0, hit: 60, miss: 85, timed: 140 }
  expect(await groups()).toEqual([
    { ...first, hit: 50, miss: 50, timed: 100, weight: 200, first: 200, last: 250 },
    { ...misses, weight: 140 * 7, first: 100, last: 300 },
  ])
  await expectTrueGroups()
  await sql`UPDATE downloads SET is_evicted = true WHERE id < 3`
  expect(await groups()).toMatchObject([{ evicted: 1 }, { evicted: 1, downloads: 2, hit: 60 }])
  await sql`DELETE FROM downloads WHERE id IN (2, 3)`
  expect(await groups()).toMatchObject([
    { kind: 2, downloads: 1, evicted: 1, first: 100, last: 120 },
  ])
  await expectTrueGroups()
  await sql`TRUNCATE downloads CASCADE`
  await expectTrueGroups()
  expect(await groups()).toEqual([])
})

test('blocks of days contain downloads by their start, even late and early ones', async () => {
  const border = 64 * daySeconds
  await upsert({ id: 1, started: border - 1, ended: border + 50, hit: 1, miss: 0 })
  await upsert({ id: 2, started: border, ended: border + 10, hit: 2, miss: 0 })
  await upsert({ id: 3, started: border + 8 * daySeconds, ended: border * 2, hit: 4, miss: 0 })
  await upsert({ id: 4, started: -5, ended: 7, hit: 8, miss: 0 })
  const blocks = await sql`
    SELECT span_days AS span, block, hit_bytes::int AS hit FROM download_groups ORDER BY 1, 2`
  expect(blocks.map(({ span, block, hit }) => [span, block, hit])).toEqual([
    [0, 0, 15],
    [8, -1, 8],
    [8, 7, 1],
    [8, 8, 2],
    [8, 9, 4],
    [64, -1, 8],
    [64, 0, 1],
    [64, 1, 6],
  ])
  await expectTrueGroups()
  await sql`TRUNCATE downloads CASCADE`
})

test('after any bulk changes of downloads, sums and bounds match the rows', async () => {
  let seed = 11
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  for (let round = 1; round <= 60; round++) {
    const started = 20_000 * daySeconds + random(140 * daySeconds)
    await upsert({
      id: 1 + random(25),
      client: 'abc'.charAt(random(3)),
      started,
      ended: started + random(3) * 1000,
      hit: random(3) * 10,
      miss: random(3) * 10,
      revision: round,
    })
    if (round % 7 === 0)
      await sql`UPDATE downloads SET is_evicted = NOT is_evicted WHERE id % 3 = 0`
    if (round % 9 === 0)
      await sql`UPDATE downloads SET hit_bytes = miss_bytes, miss_bytes = hit_bytes`
    if (round % 10 === 0) await sql`DELETE FROM downloads WHERE id % 5 = ${random(5)}`
    if (round % 10 === 0) await expectTrueGroups()
  }
})

test.each([
  ['one block of days', 600],
  ['many blocks of days', 3 * daySeconds],
])('downloads stored at once are summed once per span: %s', async (_name, step) => {
  await sql`TRUNCATE downloads CASCADE`
  const started = 20_000 * daySeconds
  await sql`
    INSERT INTO downloads (id, datasource, service, tag, client, title_key, is_prefill, started_at,
      ended_at, hit_bytes, miss_bytes, requests, last_url, revision)
    SELECT n, 'default', 'steam', 'steam', 'a', 'x' || n % 3, false,
      to_timestamp(${started} + n * ${step}::int), to_timestamp(${started} + n * ${step}::int + n),
      n % 2 * 10, 5, 1, '/', 1
    FROM generate_series(1, 60) AS n`
  const [counted] = await sql`
    SELECT sum(downloads)::int AS downloads FROM download_groups WHERE span_days = 0`
  expect(counted?.['downloads']).toBe(60)
  await expectTrueGroups()
})

test('objects are deleted with their downloads', async () => {
  await sql`TRUNCATE downloads CASCADE`
  for (const id of [1, 2, 3]) await upsert({ id, ended: id * 100 + 1, hit: 1, miss: 0 })
  await sql`INSERT INTO download_objects SELECT id, '{"0 /a"}' FROM downloads`
  const left = async () =>
    (await sql`SELECT download_id::int AS id FROM download_objects ORDER BY 1`).map(
      (row) => row['id'] as number,
    )
  await sql`DELETE FROM downloads WHERE id <> 2`
  expect(await left()).toEqual([2])
  await sql`TRUNCATE downloads CASCADE`
  expect(await left()).toEqual([])
})

test('one trigger sums changes of downloads, one deletes their objects', async () => {
  const triggers = await sql<{ name: string }[]>`
    SELECT tgname AS name FROM pg_trigger
    WHERE tgrelid = 'downloads'::regclass AND NOT tgisinternal ORDER BY tgname`
  expect(triggers.map(({ name }) => name)).toEqual([
    'download_groups_delete',
    'download_groups_insert',
    'download_groups_truncate',
    'download_groups_update',
    'download_objects_delete',
    'download_objects_truncate',
  ])
})

test('a history of before the blocks gets them from its days', async () => {
  const older = await historyAfter(3)
  const day = 86_400
  for (const [table, keys] of [
    ['service', "'steam'"],
    ['client', "'a'"],
    ['client_service', "'a', 'steam'"],
  ] as const) {
    // Their triggers are those of today.
    await older.unsafe(`alter table ${table}_day disable trigger user`)
    await older.unsafe(`
      insert into ${table}_day select to_timestamp(day * ${day}), ${keys}, false, day, 1, 2, 3,
        to_timestamp(day * ${day} + 5), to_timestamp(day * ${day} + 9)
      from unnest('{64, 100, 127, 128}'::int[]) as day`)
  }
  await migrateHistory(older)
  for (const table of ['service_block', 'client_block', 'client_service_block']) {
    const blocks = await older.unsafe<{ row: number[] }[]>(`
      select array[extract(epoch from bucket_at) / ${day}, hit_bytes, miss_bytes, requests,
        downloads, extract(epoch from first_at), extract(epoch from last_at)]::int[] as row
      from ${table} order by bucket_at`)
    expect(blocks.map(({ row }) => row)).toEqual([
      [64, 291, 3, 6, 9, 64 * day + 5, 127 * day + 9],
      [128, 128, 1, 2, 3, 128 * day + 5, 128 * day + 9],
    ])
  }
  await older.end()
})

test('a history of before the sums without client gets them from those by client', async () => {
  const older = await historyAfter(1)
  await older`
    INSERT INTO download_groups (span_days, block, title_key, client, service, is_prefill, kind,
      downloads, evicted, hit_bytes, miss_bytes, timed_bytes, speed_weight, first_at, last_at)
    SELECT span, 0, 'x', client, 'steam', false, 1, 2, 1, 30, 10, 40, 5.5, to_timestamp(at),
      to_timestamp(at + 9)
    FROM (VALUES ('a', 100), ('b', 200)) AS clients(client, at)
    CROSS JOIN (VALUES (0), (8), (64)) AS spans(span)`
  await migrateHistory(older)
  const sums = await older`
    SELECT span_days AS span, downloads::int, evicted::int, hit_bytes::int AS hit,
      speed_weight AS weight, extract(epoch FROM first_at)::int AS first,
      extract(epoch FROM last_at)::int AS last
    FROM title_groups ORDER BY 1`
  const row = { downloads: 4, evicted: 2, hit: 60, weight: 11, first: 100, last: 209 }
  expect([...sums]).toEqual([0, 8, 64].map((span) => ({ span, ...row })))
  await older.end()
})

/** Updates a history while a node stores a batch in these tables; the update waits from the first on. */
async function updateDuring(
  older: typeof sql,
  target: HistoryTarget,
  tables: string[],
): Promise<void> {
  const node = openTestClient(target)
  let updated = Promise.resolve()
  await node.begin(async (batch) => {
    await batch`insert into shipped_batch values (gen_random_uuid(), now())`
    for (const [at, table] of tables.entries()) {
      await batch`
        insert into ${batch(table)} values (to_timestamp(0), 'steam', false, 5, 1, 1, 1, now(), now())`
      if (at === 0) updated = migrateHistory(older)
      const waiting = () => batch`
        select 1 from pg_locks join pg_database on pg_database.oid = database
        where not granted and datname = current_database()`
      await eventually(async () => (await waiting()).length > 0, 'the update waits for the batch')
    }
  })
  await updated
  await node.end()
}

test('a batch that a node stores while the history is updated is in the new sums', async () => {
  const target = await emptyDatabase()
  const older = await historyAfter(3, target)
  await older`alter table service_day disable trigger user`
  // Otherwise those of today would stay.
  await older`comment on function report_truncate() is 'earlier'`
  await updateDuring(older, target, ['service_day'])
  expect(await older`select hit_bytes::int as hit from service_block`).toMatchObject([{ hit: 5 }])
  await older.end()
})

test('a batch is stored while changed roll-ups without a migration wait for it', async () => {
  const target = await freshDatabase()
  const older = openTestClient(target)
  await older`comment on function report_truncate() is 'earlier'`
  await updateDuring(older, target, ['service_day', 'service_hour'])
  expect(await older`select 1 from service_block cross join time_hour`).toHaveLength(1)
  await older.end()
})

test('an update whose roll-ups fail leaves the history as it was', async () => {
  const older = await historyAfter(3)
  await older`drop function report_truncate() cascade`
  await older`create function report_truncate() returns int language sql return 1`
  const failure = await migrateHistory(older).then(() => null, String)
  expect(failure).toContain('is as it was before')
  expect(await appliedMigrations(older)).toHaveLength(3)
  await older.end()
})
