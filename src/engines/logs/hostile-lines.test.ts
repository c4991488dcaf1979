import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { appendFileSync, writeFileSync } from 'node:fs'
import type { Sql } from 'postgres'
import { database, drain, file, ingest, withIngest } from '../../../test/support/ingest-fixture.ts'
import { firstSecond, logLine } from '../../../test/support/log-lines.ts'
import { freshDatabase, openTestClient } from '../../../test/support/postgres.ts'
import { createShipper, type Shipper } from '../shipper/shipper.ts'
import { randomFrom } from '../../../test/support/random.ts'

const limitMs = 90_000

let shipper: Shipper
let sql: Sql

// Before the store that the shipper reads is closed.
afterEach(async () => {
  await shipper.stop()
  await sql.end()
})
withIngest()
beforeEach(async () => {
  const { outbox } = ingest
  const { quarantine } = outbox
  const target = await freshDatabase()
  sql = openTestClient(target)
  shipper = createShipper({ outbox, quarantine, log: () => {}, onShipped: () => {} })
  shipper.connect(target)
})

/** Reads everything and waits until all of it is in the history. */
async function ship(): Promise<void> {
  await drain()
  shipper.kick()
  const deadline = Date.now() + limitMs
  while (ingest.outbox.oldestMs() !== null) {
    if (Date.now() > deadline) throw new Error(`stuck: ${shipper.status().lastError}`)
    await Bun.sleep(10)
  }
}

const counted = () =>
  database
    .query(
      `SELECT sum(hit_bytes) AS hit, sum(miss_bytes) AS miss, sum(requests) AS requests
      FROM counter`,
    )
    .get() as { hit: number; miss: number; requests: number }

async function stored(table = 'traffic') {
  const [row] = await sql.unsafe<{ hit: number; miss: number; requests: number }[]>(
    `SELECT sum(hit_bytes)::float8 AS hit, sum(miss_bytes)::float8 AS miss,
      sum(requests)::float8 AS requests FROM ${table}`,
  )
  return { hit: row?.hit ?? 0, miss: row?.miss ?? 0, requests: row?.requests ?? 0 }
}

const lineCounts = () => ingest.store.lineCounts()[0]

const jsonLine = (timestamp: string, bytes = '7') =>
  `{"timestamp":"${timestamp}","status":"200","bytes_sent":"${bytes}","remote_addr":"10.0.0.9",` +
  '"cache_identifier":"steam","upstream_cache_status":"HIT","path":"/depot/731/chunk/cc"}\n'

/** A request after the line under test. */
const next = logLine({ client: '10.9.9.9', bytes: 5 })
const nextArrived = async () => {
  const [row] = await sql<{ hit: number }[]>`
    SELECT sum(hit_bytes)::float8 AS hit FROM traffic WHERE client = '10.9.9.9'`
  return row?.hit === 5
}

const withTime = (time: string) => logLine().replace(/\[\d\d\/[^\]]+\]/, `[${time}]`)

test('lines that are more than two days ahead count when they are read', async () => {
  const beginS = Math.floor(Date.now() / 1000)
  const ahead = [
    ...Array.from({ length: 3 }, (_, at) => logLine({ at: beginS + 3 * 86_400 + 400 * at })),
    withTime('31/Dec/9999:23:59:59 +0000'),
    jsonLine(String(beginS + 3 * 86_400)),
    jsonLine('9999-12-31T23:59:59+00:00'),
  ]
  writeFileSync(file('access.log'), logLine({ at: beginS + 86_400, client: '10.9.9.9', bytes: 5 }))
  await ship()
  expect(await nextArrived()).toBe(true)
  appendFileSync(file('access.log'), ahead.join(''))
  await ship()
  expect(lineCounts()).toMatchObject({ parsedLines: 7, impossibleTimeLines: 0 })
  const rows = await sql<{ client: string; requests: number; from: number; until: number }[]>`
    SELECT client, requests::int, extract(epoch FROM started_at)::int AS from,
      extract(epoch FROM ended_at)::int AS until FROM downloads ORDER BY started_at, client`
  expect(rows.map(({ requests }) => requests)).toEqual([4, 2, 1])
  for (const { from, until } of rows.slice(0, 2)) {
    expect(from).toBeGreaterThanOrEqual(beginS)
    expect(until * 1000).toBeLessThanOrEqual(Date.now())
  }
  expect(rows[2]?.from).toBe(beginS + 86_400)
})

describe('an impossible line', () => {
  const times = [
    withTime('31/Dec/1999:23:59:59 +0000'),
    jsonLine('946684799'),
    jsonLine('253402300799'),
  ]
  const counts = [
    logLine({ bytes: 999_999_999_999_999 }),
    logLine({ bytes: 2 ** 50 + 2 }),
    logLine().replace(' 200 100 ', ' 200 99999999999999999999 '),
    jsonLine(String(firstSecond), '999999999999999'),
  ]

  test('is counted with its reason and does not keep the next one from the history', async () => {
    writeFileSync(file('access.log'), [...times, ...counts, next].join(''))
    await ship()
    expect(await nextArrived()).toBe(true)
    expect(await stored()).toEqual({ hit: 5, miss: 0, requests: 1 })
    const expected = { impossibleTimeLines: times.length, impossibleCountLines: counts.length }
    expect(lineCounts()).toMatchObject({ ...expected, parsedLines: 1, unparsedLines: 0 })
  })

  test('twenty thousand petabytes are not counted as traffic', async () => {
    const huge = logLine({ bytes: 999_999_999_999_999 }).repeat(20_000)
    writeFileSync(file('access.log'), huge + next)
    await ship()
    expect(await stored()).toEqual({ hit: 5, miss: 0, requests: 1 })
    expect(lineCounts()?.impossibleCountLines).toBe(20_000)
  })
})

test('milliseconds in a JSON line are accepted as a time', async () => {
  writeFileSync(file('access.log'), jsonLine(`${firstSecond}123`) + next)
  await ship()
  const [row] = await sql<{ at: number }[]>`
    SELECT extract(epoch FROM first_at)::float8 AS at FROM traffic WHERE client = '10.0.0.9'`
  expect(row?.at).toBe(firstSecond)
})

test('a byte order mark loses no line in any format', async () => {
  const first = [logLine({ bytes: 1 }), jsonLine(String(firstSecond), '2')]
  writeFileSync(file('access.log.2'), `\uFEFF${first[0]}`)
  writeFileSync(file('access.log.1'), `\uFEFF${first[1]}`)
  writeFileSync(file('access.log'), next)
  await ship()
  expect(await stored()).toEqual({ hit: 8, miss: 0, requests: 3 })
})

test('lines of every possible month reach the history', async () => {
  const months: string[] = []
  for (let at = Date.UTC(2000, 0, 1); at < firstSecond * 1000;) {
    months.push(logLine({ at: at / 1000, bytes: 1 }))
    const date = new Date(at)
    at = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  }
  writeFileSync(file('access.log'), months.join('') + next)
  await ship()
  expect(await stored('traffic_day')).toEqual({
    hit: months.length + 5,
    miss: 0,
    requests: months.length + 1,
  })
  expect(ingest.outbox.quarantine.count).toBe(0)
})

const oddities = [
  '\0',
  '\u0000\u0001\t',
  '\\x00',
  '\\u0000',
  '\\ud800',
  '\uFFFF',
  '😀',
  '\\',
  '"',
  '{}',
  "'; --",
  '%00%ff',
  '\\N',
  '\\.',
  '99999999999999999999',
  '-1',
  '31/Dec/9999:23:59:59 +0000',
  '1e308',
  'NaN',
  'a'.repeat(5000),
].map((text) => Buffer.from(text))

const detailedLine = (at: number) =>
  `[${new Date(at * 1000).toISOString().slice(0, 19)}+00:00] 10.0.0.4 GET "/product/x/y" ` +
  'bytes=0-9 HTTP/1.1 200 "-" 300 1000 900 0.010 0.009 200 900 HIT level3.example.test "agent"\n'

/** A line of some format with some bytes replaced; often still valid. */
function oddLine(random: () => number): Buffer {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const at = firstSecond + Math.floor(random() * 4000)
  const tag = pick(['steam', 'epicgames', 'blizzard', 'riot', 'wsus', 'xboxlive', 'h.example.test'])
  const path = pick([
    `/depot/${Math.floor(random() * 1e12)}/chunk/aa`,
    '/Builds/Fortnite/CloudDir/ChunksV4/aa.chunk',
    '/tpr/wow/data/aa/bb/cc',
    '/filestreamingservice/files/0a0b0c0d-0000-4000-8000-000000000000/pieces',
    '/channels/public/bundles/AA.bundle',
  ])
  const plain = logLine({ at, tag, path, bytes: Math.floor(random() * 1e6) })
  const line = Buffer.from(pick([plain, plain, jsonLine(String(at)), detailedLine(at)]))
  const parts = [line.subarray(0, -1)]
  for (let changes = Math.floor(random() * 4); changes > 0; changes--) {
    const whole = Buffer.concat(parts)
    const place = Math.floor(random() * whole.length)
    const odd = random() < 0.5 ? pick(oddities) : Buffer.from([Math.floor(random() * 256)])
    const rest = whole.subarray(place + (random() < 0.5 ? odd.length : 0))
    parts.splice(0, Infinity, whole.subarray(0, place), odd, rest)
  }
  return Buffer.concat([...parts, Buffer.from('\n')])
}

describe('lines of any content', () => {
  const linesPerFile = 1500
  test.each([1, 2, 3])('reach the history or are counted as unreadable, seed %i', async (seed) => {
    const random = randomFrom(seed)
    const lines = () => Array.from({ length: linesPerFile }, () => oddLine(random))
    for (const name of ['steam-access.log', 'windows-update-access.log', 'riot-access.log']) {
      writeFileSync(file(name), Buffer.concat(lines()))
    }
    writeFileSync(file('access.log'), Buffer.concat([...lines(), Buffer.from(next)]))
    await ship()
    expect(await nextArrived()).toBe(true)
    expect(ingest.outbox.quarantine.count).toBe(0)
    const sums = counted()
    expect(sums.requests).toBeGreaterThan(linesPerFile)
    const [failed] = await sql<{ requests: number }[]>`
      SELECT coalesce(sum(requests), 0)::float8 AS requests FROM failed_requests
      WHERE span_seconds = 300`
    const requests = sums.requests - (failed?.requests ?? 0)
    for (const table of ['traffic', 'traffic_hour', 'traffic_day', 'downloads']) {
      expect(await stored(table)).toEqual({ ...sums, requests })
    }
  })
})
