import { beforeEach, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import {
  connectionStringOf,
  foreignBytes,
  foreignHistory,
  foreignStart as firstSecond,
} from '../../../test/support/foreign-history.ts'
import { eventually } from '../../../test/support/eventually.ts'
import {
  freshDatabase,
  freshHistory,
  openTestClient,
  testServer,
} from '../../../test/support/postgres.ts'
import { putDownloads } from '../../../test/support/put-downloads.ts'
import { seedHistory } from '../../../test/support/seed-history.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import { createNoticeTexts } from '../notifications/texts.ts'
import { parseConnectionString } from './connection-string.ts'

const rows = 2500

const history = await freshHistory()
const app = await testApp({ history })
const owner = await signInOwner(app)
const source = await foreignHistory(rows)

beforeEach(async () => {
  app.settings.set('migration.unfinished', null)
  const empty = 'truncate downloads, traffic, traffic_hour, traffic_day, titles cascade'
  await history.read((_db, sql) => sql.unsafe(empty))
})

async function runImport(more: object = {}) {
  const body = { connectionString: connectionStringOf(source), ...more }
  const answer = await owner.post('/api/migration/import-service', body)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** Cancels an import once it has progressed. */
async function cancelledImport(more: object) {
  const progress = Promise.withResolvers<string>()
  app.operations.onChange(() => {
    const active = app.operations.active('dataImport')
    if (active !== null && active.percentComplete > 0) progress.resolve(active.id)
  })
  const running = runImport(more)
  app.operations.cancel(await progress.promise)
  return running
}

/** A download that Larder counted itself, as one of the other program. */
const putCounted = (startedAt: number) =>
  putDownloads(history, {
    id: 1,
    client: '10.0.1.9',
    titleKey: 'alpha:701',
    startedAt,
    endedAt: startedAt + 30,
  })

const check = async (text: string) => {
  const query = `connectionString=${encodeURIComponent(text)}`
  const answer = await owner.get(`/api/migration/validate-connection?${query}`)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function sums() {
  const [row] = await history.read(
    (_db, sql) => sql`
      select (select count(*)::int from downloads) as downloads,
        (select sum(hit_bytes + miss_bytes)::float8 from downloads) as bytes,
        (select sum(hit_bytes + miss_bytes)::float8 from traffic_day) as day,
        (select sum(hit_bytes + miss_bytes)::float8 from service_hour) as hour,
        (select sum(downloads)::int from traffic_day) as counted`,
  )
  return row
}

const all = foreignBytes(rows)
const complete = { downloads: rows, bytes: all, day: all, hour: all, counted: rows }

test('connection strings: quotes, aliases and blanks are read, everything else refused', () => {
  expect(
    parseConnectionString(`server = db ; User Id=me;Password='a;''b"';database=x;Pooling=true;`),
  ).toEqual({ host: 'db', port: 5432, database: 'x', user: 'me', password: `a;'b"` })
  for (const text of ['', ' ', 'Host=db', 'Database=x', 'postgres://me:geheim@db/x', 'geheim']) {
    expect(() => parseConnectionString(text)).toThrow(/connection string/)
    expect(() => parseConnectionString(text)).not.toThrow(/geheim/)
  }
  expect(() => parseConnectionString('Host=a;Database=b;Port=0')).toThrow('1 to 65535')
})

test('a connection is tried, and its refusal says why', async () => {
  expect(await check('')).toMatchObject({ status: 400 })
  expect(await check(connectionStringOf(source))).toEqual({
    status: 200,
    body: {
      valid: true,
      message: `${rows} downloads can be imported`,
      recordCount: rows,
      overlap: null,
    },
  })
  const refused = async (text: string) => {
    const { status, body } = await check(text)
    expect(status).toBe(200)
    expect(body).toMatchObject({ valid: false, recordCount: null })
    return String(body['message'])
  }
  expect(await refused('postgres://u:geheim@db/x')).toContain('Host=…')
  expect(await refused('Host=127.0.0.1;Port=1;Database=x;Username=u;Password=geheim')).toContain(
    'does not accept connections',
  )
  expect(await refused(connectionStringOf({ ...source, password: 'wrong-geheim' }))).toContain(
    'refused the user',
  )
  expect(await refused(connectionStringOf({ ...source, database: 'missing' }))).toMatch(
    /has no database "missing": check its name$/,
  )
  const unknown = await refused('Host=no-such-host.invalid;Database=x;Username=u;Password=geheim')
  expect(unknown).toContain('cannot be resolved: check the host')
  const { admin } = await testServer()
  const name = `other_${crypto.randomUUID().replaceAll('-', '')}`
  await admin`create database ${admin(name)} owner ${admin(source.user)}`
  expect(await refused(connectionStringOf({ ...source, database: name }))).toContain(
    'no table "Downloads"',
  )
  const sql = openTestClient({ ...source, database: name })
  await sql`create table "Downloads" ("Service" text, "ClientIp" text)`
  await sql.end()
  const text = await refused(connectionStringOf({ ...source, database: name }))
  expect(text).toContain('unknown version')
  expect(text).toContain('StartTimeUtc')
  await admin`drop database ${admin(name)} with (force)`
  expect(app.logLines.join('')).not.toContain('geheim')
})

test('imports downloads with their traffic, once', async () => {
  const first = await runImport({ batchSize: 400 })
  expect(first).toMatchObject({
    status: 200,
    body: { totalRecords: rows, imported: rows, skipped: 0, errors: 0 },
  })
  expect(await sums()).toEqual(complete)
  const [title] = await history.read(
    (_db, sql) => sql`select platform, game_app_id::int as app from titles where depot_id = 700`,
  )
  expect(title).toEqual({ platform: 'alpha', app: 77 })
  const [ended] = app.operations.recent({ limit: 1 })
  expect(ended && createNoticeTexts(() => 'de').outcome(ended)).toBe(
    `Übernommen: ${rows}, übersprungen: 0, Fehler: 0`,
  )
  const again = await runImport()
  expect(again.body).toMatchObject({ imported: 0, skipped: rows, errors: 0 })
  expect(await sums()).toEqual(complete)
})

test('existing downloads are updated when asked for, and sums follow', async () => {
  await runImport()
  const sql = openTestClient(source)
  await sql`update "Downloads" set "CacheHitBytes" = "CacheHitBytes" + 5 where "Id" <= 100`
  await sql`insert into "Downloads" ("Service", "ClientIp", "StartTimeUtc", "EndTimeUtc",
      "CacheHitBytes", "CacheMissBytes") values ('steam', '10.9.9.9', now(), now(), -1, 0)`
  const { body } = await runImport({ overwriteExisting: true })
  await sql`delete from "Downloads" where "CacheHitBytes" < 0`
  await sql`update "Downloads" set "CacheHitBytes" = "CacheHitBytes" - 5 where "Id" <= 100`
  await sql.end()
  expect(body).toMatchObject({ totalRecords: rows + 1, imported: rows, skipped: 0, errors: 1 })
  const more = all + 500
  expect(await sums()).toEqual({ ...complete, bytes: more, day: more, hour: more })
})

test('a download that Larder counted itself is not counted twice', async () => {
  const started = firstSecond + 60
  await putCounted(started)
  const { body } = await runImport({ overlap: 'import' })
  expect(body).toMatchObject({ imported: rows - 1, skipped: 1, reasons: { existing: 1 } })
})

test('only the time before the first counted line is imported, unless asked for', async () => {
  const from = firstSecond + 2000 * 60 + 10
  await putCounted(from)
  const { body: found } = await check(connectionStringOf(source))
  expect(found['message']).toContain('500 of them began after')
  expect(found['overlap']).toEqual({
    firstLineUtc: new Date(from * 1000).toISOString(),
    downloads: 500,
    days: 1,
    firstDay: '2025-01-02',
    lastDay: '2025-01-02',
    services: ['steam'],
  })
  const first = await runImport()
  expect(first.body).toMatchObject({
    totalRecords: rows,
    imported: 2000,
    skipped: 500,
    errors: 0,
    reasons: { counted: 500 },
  })
  const { body: all } = await runImport({ overlap: 'import' })
  expect(all).toMatchObject({ imported: 500, reasons: { existing: 2000 } })
  expect((await check(connectionStringOf(source))).body['overlap']).toMatchObject({ days: 1 })
})

/** A database with the documented table and these downloads, as `VALUES` of its columns. */
async function sourceOf(values: string): Promise<string> {
  const place = await foreignHistory(0)
  const sql = openTestClient(place)
  await sql.unsafe(`insert into "Downloads" ("Service", "ClientIp", "StartTimeUtc", "EndTimeUtc",
    "CacheHitBytes", "CacheMissBytes", "DepotId", "GameName", "LastUrl") values ${values}`)
  await sql.end()
  return connectionStringOf(place)
}

const titlesOf = (client: string) =>
  history.read(
    (_db, sql) => sql`
      select d.service, d.title_key, game_name from downloads d left join titles using (title_key)
      where client = ${client} order by 1, 2, 3`,
  )

test('titles bring their names, and those that began together all arrive', async () => {
  const at = `'10.1.1.1', '2025-03-01 10:00:00Z', '2025-03-01 10:00:05Z', 5, 0`
  const connectionString = await sourceOf(`
    ('epic', ${at}, null, 'Fortnite', null), ('EpicGames', ${at}, null, 'Rocket League', null),
    ('epicgames', ${at}, null, null, null), ('epicgames', ${at}, null, null, null),
    ('battle.net', ${at}, null, 'Diablo IV', null), ('xboxlive', ${at}, null, 'Halo', null),
    ('steam', ${at}, 990001, 'Portal', null), ('steam', ${at}, 990002, 'Half-Life', null)`)
  const { body } = await runImport({ connectionString, batchSize: 3 })
  expect(body).toMatchObject({ totalRecords: 8, imported: 8, skipped: 0, errors: 0 })
  const names = (await titlesOf('10.1.1.1')).map((row) => [row['service'], row['game_name']])
  expect(names).toEqual([
    ['battle.net', 'Diablo IV'],
    ['epicgames', null],
    ['epicgames', null],
    ['epicgames', 'Fortnite'],
    ['epicgames', 'Rocket League'],
    ['steam', 'Portal'],
    ['steam', 'Half-Life'],
    ['xboxlive', 'Halo'],
  ])
  expect((await runImport({ connectionString })).body).toMatchObject({ imported: 0, skipped: 8 })
})

test('rows beyond the limits are counted by reason, and the counters end at the total', async () => {
  const row = (client: string, start: string, end: string, hit: string) =>
    `('steam', ${client}, ${start}, ${end}, ${hit}, 0, null, null, null)`
  const [start, end] = ["'2025-03-01 10:00Z'", "'2025-03-01 10:01Z'"]
  const connectionString = await sourceOf(
    [
      row("'10.1.1.2'", start, end, '1'),
      row('null', start, end, '1'),
      row("'10.1.1.2'", 'null', end, '1'),
      row("'10.1.1.2'", "'-infinity'", end, '1'),
      row("'10.1.1.2'", start, "'infinity'", '1'),
      row("'10.1.1.2'", start, "'294276-12-31'", '1'),
      row("'10.1.1.2'", end, start, '1'),
      row("'10.1.1.2'", "'2020-01-01'", end, '1'),
      row("'10.1.1.2'", start, end, '-1'),
      row(`repeat('1', 65)`, start, end, '1'),
    ].join(),
  )
  const { body } = await runImport({ connectionString, batchSize: 2 })
  expect(body).toMatchObject({ totalRecords: 10, imported: 1, skipped: 0, errors: 9 })
  expect(body['reasons']).toEqual({ missing: 2, time: 3, duration: 2, bytes: 1, text: 1 })
})

test('an import continues between downloads that began together', async () => {
  const one = (n: number) =>
    `('wsus', '10.2.${n % 3}.1', '2025-03-01 10:00:00Z', '2025-03-01 10:00:05Z', 5, 0, null, null, null)`
  const connectionString = await sourceOf(Array.from({ length: 500 }, (_, n) => one(n)).join())
  const cancelled = await cancelledImport({ connectionString, batchSize: 7 })
  const imported = Number(cancelled.body['imported'])
  expect(imported).toBeGreaterThan(0)
  expect(imported).toBeLessThan(500)
  const { body } = await runImport({ connectionString, batchSize: 11 })
  expect(body).toMatchObject({ totalRecords: 500, imported: 500, skipped: 0, errors: 0 })
  expect(await sums()).toMatchObject({ downloads: 500, bytes: 2500, day: 2500, counted: 500 })
})

test('a cancelled import answers with its counts, and the next one continues there', async () => {
  const { status, body } = await cancelledImport({ batchSize: 50 })
  expect(status).toBe(200)
  const imported = Number(body['imported'])
  expect(imported).toBeGreaterThan(0)
  expect(imported).toBeLessThan(rows)
  const state = await (await owner.get('/api/migration/import/status')).json()
  expect(state).toMatchObject({
    isProcessing: false,
    message: expect.stringContaining(`after ${imported} of ${rows}`),
  })
  const rest = (await runImport()).body
  expect(Number(rest['imported'])).toBe(rows)
  expect(await sums()).toEqual(complete)
  expect(app.settings.get('migration.unfinished')).toBeNull()
})

test('the own database and a running reset are refused', async () => {
  const own = await runImport({ connectionString: connectionStringOf(history.connection()) })
  expect(own.status).toBe(400)
  const release = Promise.withResolvers<void>()
  app.operations.submit({
    type: 'cacheClearing',
    scope: 'bulk',
    name: 'clearing',
    run: () => release.promise.then(() => ({ kind: 'completed' })),
  })
  const refused = await runImport()
  release.resolve()
  expect(refused).toMatchObject({ status: 409, body: { code: 'OPERATION_CONFLICT' } })
  await eventually(() => app.operations.active('cacheClearing') === null, 'clearing has ended')
})

test('the history of another Larder can be imported', async () => {
  const other = await freshDatabase()
  await seedHistory(other, { downloads: 300, until: new Date('2025-06-01T00:00:00Z') })
  const { body } = await runImport({ connectionString: connectionStringOf(other) })
  expect(body).toMatchObject({ totalRecords: 300, imported: 300, errors: 0 })
  const found = await sums()
  expect(found?.['day']).toBe(found?.['bytes'])
})
