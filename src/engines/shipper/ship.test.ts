import { describe, expect, test } from 'bun:test'
import { freshDatabase, openTestClient } from '../../../test/support/postgres.ts'
import { downloadRow, trafficRow } from '../../../test/support/shipped-rows.ts'
import { failureCode } from '../../../db/history/failures.ts'
import { copyRows } from './copy.ts'
import type { DownloadRow, ShipBatch, TrafficRow } from './contract.ts'
import { beginLink, takePositions } from './link.ts'
import { ensurePartitions, monthsOf } from './partitions.ts'
import { shipBatch, type ShipOptions } from './ship.ts'

const options: ShipOptions = {
  describeTitle: (titleKey) => ({
    platform: 'alpha',
    gameName: null,
    gameAppId: null,
    betaAppId: null,
    epsilonProductId: null,
    depotId: titleKey.startsWith('depot:') ? Number(titleKey.slice(6)) : null,
  }),
  knownTitles: new Set(),
}

const start = Date.UTC(2026, 10, 21, 10, 0) / 1000

const facts = {
  client: '10.0.0.5',
  titleKey: 'depot:441',
  hitBytes: 1000,
  missBytes: 24,
  requests: 3,
}
const download = (change: Partial<DownloadRow> = {}) =>
  downloadRow({
    ...facts,
    startedAt: start,
    endedAt: start + 60,
    objectKeys: ['0 /depot/441/chunk/aa'],
    ...change,
  })

const traffic = (change: Partial<TrafficRow> = {}) =>
  trafficRow({ ...facts, downloads: 1, firstAt: start + 1, lastAt: start + 60, ...change })

const batch = (change: Partial<ShipBatch>): ShipBatch => ({
  batchId: crypto.randomUUID(),
  downloads: [],
  traffic: [],
  ...change,
})

const sql = openTestClient(await freshDatabase())

test('a COPY refused at its end fails, and the connection stays usable', async () => {
  const copied = sql.begin(async (transaction) => {
    await transaction`create temp table numbers (a bigint) on commit drop`
    const into = { table: 'numbers', columns: ['a'] }
    await copyRows(transaction, into, ['1', '99999999999999999999'], (row) => [row])
  })
  const outcome = copied.then(
    () => 'accepted',
    (error: unknown) => failureCode(error),
  )
  expect(await Promise.race([outcome, Bun.sleep(20_000)])).toBe('22003')
  expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }])
})

describe('downloads', () => {
  test('keep the newest revision, within and across batches, and their eviction mark', async () => {
    const states = [
      download({ id: 10, revision: 3, hitBytes: 300 }),
      download({ id: 10, revision: 2, hitBytes: 200 }),
    ]
    await shipBatch(sql, batch({ downloads: states }), options)
    await sql`update downloads set is_evicted = true where id = 10`
    const older = download({ id: 10, revision: 1, hitBytes: 100, objectKeys: ['old'] })
    await shipBatch(sql, batch({ downloads: [older] }), options)
    const read = () => sql`
      select hit_bytes, revision, is_evicted, object_keys from downloads
      join download_objects on download_id = id where id = 10`
    const sample = ['0 /depot/441/chunk/aa']
    expect([...(await read())]).toEqual([
      { hit_bytes: '300', revision: 3, is_evicted: true, object_keys: sample },
    ])
    const newer = download({ id: 10, revision: 4, hitBytes: 400, objectKeys: ['new'] })
    await shipBatch(sql, batch({ downloads: [newer] }), options)
    expect([...(await read())]).toEqual([
      { hit_bytes: '400', revision: 4, is_evicted: true, object_keys: ['new'] },
    ])
  })

  test('keep any text unchanged, except for zero characters', async () => {
    const text = 'a\tb\nc\rd\\e\\N"f\'g{h},ü😀\\.'
    const row = download({
      id: 20,
      client: '2001:db8::1',
      lastUrl: `${text}\0!`,
      objectKeys: [text, '', 'NULL', 'a"b\\c', '\0x'],
    })
    await shipBatch(sql, batch({ downloads: [row, download({ id: 21, objectKeys: [] })] }), options)
    const rows = await sql`
      select last_url, client, object_keys from downloads
      join download_objects on download_id = id where id in (20, 21) order by id`
    expect(rows[0]).toEqual({
      last_url: `${text}!`,
      client: '2001:db8::1',
      object_keys: [text, '', 'NULL', 'a"b\\c', 'x'],
    })
    expect(rows[1]?.object_keys).toEqual([])
  })

  test('keep fractions of times, and large sums', async () => {
    const row = download({ id: 30, startedAt: start + 0.25, hitBytes: Number.MAX_SAFE_INTEGER })
    await shipBatch(sql, batch({ downloads: [row] }), options)
    const [stored] = await sql`select started_at, hit_bytes from downloads where id = 30`
    expect(stored).toEqual({
      started_at: new Date((start + 0.25) * 1000),
      hit_bytes: String(Number.MAX_SAFE_INTEGER),
    })
  })
})

describe('traffic', () => {
  const sums = async (table: string, client: string) => {
    const rows = await sql.unsafe<Record<string, number>[]>(
      `select extract(epoch from bucket_at)::float8 as at, hit_bytes::float8 as hit,
        miss_bytes::float8 as miss, requests::float8 as requests, downloads::float8 as downloads,
        extract(epoch from first_at)::float8 as first, extract(epoch from last_at)::float8 as last
      from ${table} where client = $1 order by 1`,
      [client],
    )
    return rows.map((row) => ({ ...row }))
  }

  test('is summed at all three levels, even when a batch holds a bucket twice', async () => {
    const client = '10.1.0.1'
    const row = (at: number, change: Partial<TrafficRow> = {}) =>
      traffic({ client, bucketAt: at, firstAt: at + 1, lastAt: at + 60, ...change })
    const rows = [row(start), row(start, { hitBytes: 1, firstAt: start }), row(start + 300)]
    await shipBatch(sql, batch({ traffic: rows }), options)
    await shipBatch(sql, batch({ traffic: [row(start, { lastAt: start + 299 })] }), options)
    expect(await sums('traffic', client)).toEqual([
      {
        at: start,
        hit: 2001,
        miss: 72,
        requests: 9,
        downloads: 3,
        first: start,
        last: start + 299,
      },
      {
        at: start + 300,
        hit: 1000,
        miss: 24,
        requests: 3,
        downloads: 1,
        first: start + 301,
        last: start + 360,
      },
    ])
    const whole = {
      hit: 3001,
      miss: 96,
      requests: 12,
      downloads: 4,
      first: start,
      last: start + 360,
    }
    expect(await sums('traffic_hour', client)).toEqual([{ at: start, ...whole }])
    const day = Date.UTC(2026, 10, 21) / 1000
    expect(await sums('traffic_day', client)).toEqual([{ at: day, ...whole }])
  })

  test('failed requests are a table of their own, by five minutes and by day', async () => {
    const client = '10.1.0.9'
    const only = { hitBytes: 0, missBytes: 0, requests: 0, downloads: 0, titleKey: '' }
    const rows = [
      traffic({ client, failedRequests: 2 }),
      traffic({ ...only, client, failedRequests: 3 }),
      traffic({ ...only, client, bucketAt: start + 600, failedRequests: 4 }),
    ]
    await shipBatch(sql, batch({ traffic: rows }), options)
    await shipBatch(sql, batch({ traffic: rows.slice(2) }), options)
    const found = await sql`
      select span_seconds as span, extract(epoch from bucket_at)::float8 as at,
        requests::int as requests from failed_requests where client = ${client} order by 1, 2`
    const day = Date.UTC(2026, 10, 21) / 1000
    expect([...found]).toEqual([
      { span: 300, at: start, requests: 5 },
      { span: 300, at: start + 600, requests: 8 },
      { span: 86_400, at: day, requests: 13 },
    ])
    for (const table of ['traffic', 'traffic_hour', 'traffic_day']) {
      expect((await sums(table, client)).map(({ requests }) => requests)).toEqual([3])
    }
  })

  test('the same batch again adds nothing, even with other rows in it', async () => {
    const client = '10.1.0.2'
    const once = batch({ traffic: [traffic({ client })], downloads: [download({ id: 40 })] })
    expect(await shipBatch(sql, once, options)).toBe(true)
    expect(await shipBatch(sql, once, options)).toBe(false)
    const [row] = await sums('traffic', client)
    expect(row?.hit).toBe(1000)
  })

  test('is rolled back when a batch fails midway', async () => {
    const client = '10.1.0.3'
    const failing: ShipOptions = {
      knownTitles: new Set(),
      describeTitle() {
        throw new Error('no title today')
      },
    }
    const once = batch({ traffic: [traffic({ client })], downloads: [download({ id: 50 })] })
    // `rejects` does not recognise the driver's promise.
    const failure = await shipBatch(sql, once, failing).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(await sums('traffic', client)).toEqual([])
    expect(await shipBatch(sql, once, options)).toBe(true)
    expect((await sums('traffic', client)).length).toBe(1)
  })
})

describe('partitions', () => {
  test('are created for every new month, across the turn of the year', async () => {
    const year = new Date().getUTCFullYear()
    const months = [Date.UTC(year - 1, 11, 31, 23, 55), Date.UTC(year, 0, 1), Date.UTC(year, 1, 28)]
    const rows = months.map((at) => traffic({ bucketAt: at / 1000, client: '10.2.0.1' }))
    await shipBatch(sql, batch({ traffic: rows }), options)
    const found = await sql`
      select tableoid::regclass::text as part, extract(epoch from bucket_at)::float8 * 1000 as at
      from traffic where client = '10.2.0.1' order by 2`
    expect([...found]).toEqual([
      { part: `traffic_${year - 1}_12`, at: months[0] },
      { part: `traffic_${year}_01`, at: months[1] },
      { part: `traffic_${year}_02`, at: months[2] },
    ])
  })

  test('are created by two writers at once, despite a reader', async () => {
    const target = { ...(await freshDatabase()) }
    const clients = [openTestClient(target), openTestClient(target), openTestClient(target)]
    const [first, second, reader] = clients
    if (!first || !second || !reader) throw new Error('three clients expected')
    await reader.begin(async (reading) => {
      await reading`select count(*) from traffic`
      const rows = [traffic({ bucketAt: Date.UTC(2020, 5, 15) / 1000 })]
      const both = [first, second].map((client) =>
        shipBatch(client, batch({ traffic: rows }), { ...options, knownTitles: new Set() }),
      )
      expect(await Promise.all(both)).toEqual([true, true])
    })
    const [sum] = await first`select sum(hit_bytes)::int as hit from traffic`
    expect(sum?.hit).toBe(2000)
  })

  test('months of times', () => {
    const july = Date.UTC(2026, 6, 1) / 1000
    expect(monthsOf([july + 5, july, july - 1])).toEqual([Date.UTC(2026, 5, 1) / 1000, july])
  })

  test('of years that ended long ago are years, unless they began as months', async () => {
    const client = openTestClient(await freshDatabase())
    const at = (year: number, month: number) => Date.UTC(year, month, 1) / 1000
    const ensure = (months: number[], now: number) =>
      client.begin((transaction) => ensurePartitions(transaction, months, new Date(now * 1000)))
    await ensure([at(2020, 3), at(2022, 0), at(2024, 11)], at(2022, 5))
    await ensure([at(2020, 3), at(2020, 11), at(2022, 7), at(2023, 0), at(2023, 11)], at(2026, 0))
    const found = await client<{ name: string }[]>`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'traffic'::regclass order by 1`
    expect(found.map(({ name }) => name)).toEqual([
      'traffic_2020_04',
      'traffic_2020_12',
      'traffic_2022_01',
      'traffic_2022_08',
      'traffic_2023',
      'traffic_2024_12',
    ])
  })
})

test('titles are described once and keep values written by others', async () => {
  const rows = [
    download({ id: 60, titleKey: 'depot:9001' }),
    download({ id: 61, titleKey: 'x\0y' }),
  ]
  await shipBatch(sql, batch({ downloads: rows }), options)
  await sql`update titles set game_name = 'Known' where title_key = 'depot:9001'`
  const forgetful = { ...options, knownTitles: new Set<string>() }
  await shipBatch(sql, batch({ downloads: [download({ titleKey: 'depot:9001' })] }), forgetful)
  const [title] = await sql`
    select game_name, depot_id::int, platform, service from titles where title_key = 'depot:9001'`
  const expected = { game_name: 'Known', depot_id: 9001, platform: 'alpha', service: 'steam' }
  expect(title).toEqual(expected)
  expect(
    (await sql`select 1 from titles join downloads using (title_key) where downloads.id = 61`)
      .length,
  ).toBe(1)
})

test('positions can be taken once all parts of them have arrived', async () => {
  const { epoch } = await beginLink(sql, { installation: 'this', seq: 0, batchId: null })
  const ship = (seq: number, isPartial: boolean) => {
    const changes = [{ kind: 'open', id: seq, fields: '{}' } as const]
    const link = {
      installation: 'this',
      epoch,
      seq,
      positions: { facts: '{}', changes, isPartial },
    }
    return shipBatch(sql, batch({ link }), options)
  }
  await ship(1, true)
  expect(await takePositions(sql, 'other')).toBeNull()
  await ship(2, false)
  expect((await takePositions(sql, 'other'))?.rows).toHaveLength(2)
})
