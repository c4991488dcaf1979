import { expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { readEverything } from '../../../test/support/every-report.ts'
import { connectionStringOf, foreignHistory } from '../../../test/support/foreign-history.ts'
import { freshHistory, openTestClient } from '../../../test/support/postgres.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import { randomFrom } from '../../../test/support/random.ts'

const rows = 600
const day = 86_400
const nowS = Math.floor(Date.now() / 1000)

/** A small generator: a failing seed can be repeated. */
function generator(seed: number) {
  const next = randomFrom(seed)
  return {
    below: (limit: number) => Math.floor(next() * limit),
    pick: <Value>(values: readonly Value[]): Value =>
      values[Math.floor(next() * values.length)] as Value,
    isRare: () => next() < 0.04,
  }
}

type Text = string | null

interface Foreign {
  Service: Text
  ClientIp: Text
  StartTimeUtc: Text
  EndTimeUtc: Text
  CacheHitBytes: Text
  CacheMissBytes: Text
  DepotId: Text
  GameAppId: Text
  Datasource: Text
  GameName: Text
  LastUrl: Text
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
const any = [
  '__proto__',
  "o'hara",
  '🎮 "x" \\',
  'a\tb\u0001\u007f',
  '<script>',
  '%s',
  'ﷺ',
  '\ufeff',
]
const services = ['steam', ' Steam', 'epic', 'EPICGAMES', 'wsus', '127.0.0.1', '', null, ...any]
const clients = ['10.0.0.1', '::ffff:10.0.0.2', 'fe80::1', "o'hara", '__proto__', '🎮']
const numbers = [null, '0', '-1', '701', '4294967296', '9223372036854775807']

const bad = {
  ClientIp: [null, '', ' ', 'c'.repeat(65), 'c'.repeat(100_000)],
  StartTimeUtc: [null, 'infinity', '-infinity', '294276-01-01', '4713-01-01 BC', '1999-12-31'],
  EndTimeUtc: [null, 'infinity', '-infinity', '294276-12-31', '1970-01-01', iso(nowS + 3 * day)],
  CacheHitBytes: [null, '-1', '1099511627777', '9223372036854775807'],
  CacheMissBytes: [null, '-1', '1099511627777', '-9223372036854775808'],
  Datasource: ['', 'd'.repeat(201)],
} as const

/** A row that every limit allows, with one broken value now and then. */
function rowOf(random: ReturnType<typeof generator>) {
  const start = nowS - random.below(25 * 365) * day - random.below(day)
  const row: Foreign = {
    Service: random.isRare() ? 's'.repeat(5000) : random.pick(services),
    ClientIp: random.pick(clients),
    StartTimeUtc: iso(start),
    EndTimeUtc: iso(start + random.pick([0, 1, 300, 366]) * random.pick([1, day])),
    CacheHitBytes: random.pick(['0', '1', '1099511627776', String(random.below(1e9))]),
    CacheMissBytes: random.pick(['0', '7', String(random.below(1e9))]),
    DepotId: random.pick(numbers),
    GameAppId: random.pick(numbers),
    Datasource: random.pick([null, 'default', 'lan', ...any]),
    GameName: random.pick([null, '', 'Half-Life', 'n'.repeat(5000), ...any]),
    LastUrl: random.isRare() ? 'u'.repeat(5_000_000) : random.pick([null, '/depot/5/x', ...any]),
  }
  // Within the limit of a year, but perhaps in the future.
  if (Date.parse(row.EndTimeUtc ?? '') / 1000 > nowS + day) row.EndTimeUtc = iso(start)
  const isBroken = random.below(5) === 0
  if (isBroken) {
    const column = random.pick(Object.keys(bad) as (keyof typeof bad)[])
    row[column] = random.pick<Text>(bad[column])
  }
  return { row, isBroken }
}

const sumOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0)

test.each([1, 20])('whatever a source holds, reports answer and sum up: seed %d', async (seed) => {
  const random = generator(seed)
  const made = Array.from({ length: rows }, () => rowOf(random))
  const accepted = made.filter(({ isBroken }) => !isBroken).map(({ row }) => row)
  const bytes = sumOf(
    accepted.map(
      ({ CacheHitBytes, CacheMissBytes }) => Number(CacheHitBytes) + Number(CacheMissBytes),
    ),
  )
  const place = await foreignHistory(0)
  const source = openTestClient(place)
  for (const { row } of made) {
    const columns = source(Object.keys(row))
    await source`insert into "Downloads" (${columns}) select ${columns}
      from jsonb_populate_record(null::"Downloads", ${JSON.stringify(row)}::text::jsonb)`
  }
  await source.end()

  const history = await freshHistory()
  const app = await testApp({ history, isIngesting: true, isIndexing: true })
  const owner = await signInOwner(app)
  const body = { connectionString: connectionStringOf(place), batchSize: 1 + random.below(700) }
  const answer = await owner.post('/api/migration/import-service', body)
  expect(answer.status).toBe(200)
  const outcome = (await answer.json()) as { reasons: Record<string, number> }
  expect(outcome).toMatchObject({
    totalRecords: rows,
    imported: accepted.length,
    skipped: 0,
    errors: rows - accepted.length,
  })
  expect(outcome.reasons).not.toHaveProperty('history')
  expect(sumOf(Object.values(outcome.reasons))).toBe(rows - accepted.length)

  const services = (await (await owner.get('/api/stats/services')).json()) as {
    totalBytes: number
    totalDownloads: number
  }[]
  expect(sumOf(services.map(({ totalBytes }) => totalBytes))).toBe(bytes)
  const [sums] = await history.read(
    (_db, sql) => sql`
      select (select sum(hit_bytes + miss_bytes)::float8 from downloads) as downloads,
        (select sum(hit_bytes + miss_bytes)::float8 from traffic) as traffic,
        (select sum(hit_bytes + miss_bytes)::float8 from service_hour) as hours,
        (select sum(downloads)::int from traffic_day) as counted`,
  )
  expect(sums).toEqual({
    downloads: bytes,
    traffic: bytes,
    hours: bytes,
    counted: accepted.length,
  })
  const [first] = await history.read(
    (_db, sql) => sql<{ client: string; service: string; id: number }[]>`
      select client, service, id::float8 as id from downloads order by id limit 1`,
  )
  const { failed, longest } = await readEverything(
    app,
    owner,
    first ?? { client: '', service: '', id: 0 },
  )
  expect(failed).toEqual([])
  expect(longest).toBeLessThan(2_000_000)

  const again = await owner.post('/api/migration/import-service', body)
  expect(await again.json()).toMatchObject({ imported: 0, skipped: accepted.length })
})
