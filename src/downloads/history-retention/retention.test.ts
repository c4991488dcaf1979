import { describe, expect, test } from 'bun:test'
import { eventually } from '../../../test/support/eventually.ts'
import { openTestClient } from '../../../test/support/postgres.ts'
import { reportApp } from '../../../test/support/report-app.ts'
import { seededReport, seededUntil } from '../../../test/support/seeded-report.ts'
import { downloadRow, ship } from '../../../test/support/shipped-rows.ts'
import { failedSpans, firstFreeId } from '../../engines/shipper/contract.ts'
import { ensurePartitions } from '../../engines/shipper/partitions.ts'
import { seededRandom } from '../../demo/random.ts'
import type { ClientReport, DownloadsSummary } from '../games/model.ts'
import type { RetroPage } from '../downloads/model.ts'
import { monthBefore } from './service.ts'
import { deleteBatch, dropPartition } from './store.ts'

const now = new Date(seededUntil)
const since = Date.UTC(2026, 7, 1) / 1000
const old = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000

const seeded = await seededReport(2500)
const app = await reportApp({ history: seeded.history, now: seededUntil })
// An event of an old month keeps its downloads.
await seeded.client`
  INSERT INTO events (name, start_at, end_at, start_local, end_local, color_index, created_at)
  SELECT 'Party', '2026-03-01', '2026-03-08', '', '', 1, now()`
await seeded.client`
  INSERT INTO event_downloads (event_id, download_id, tagged_at, is_automatic, is_removed)
  SELECT (SELECT min(id) FROM events), id, now(), true, false FROM downloads
  WHERE started_at BETWEEN '2026-03-01' AND '2026-03-08'`
// Failed requests of each bucket of five minutes, and of each day.
for (const seconds of Object.values(failedSpans)) {
  await seeded.client`
    INSERT INTO failed_requests
      (span_seconds, bucket_at, datasource, service, client, is_prefill, requests)
    SELECT ${seconds}::int, to_timestamp(floor(extract(epoch FROM bucket_at) / ${seconds}) * ${seconds}),
      datasource, service, client, is_prefill, count(*)
    FROM traffic GROUP BY 1, 2, 3, 4, 5, 6`
}

const range = (from: number, until: number) => `startTime=${from}&endTime=${until - 1}`
const retroRange = (from: number, until: number) => `StartTime=${from}&EndTime=${until - 1}`
/** A block of eight days that begins in an old month. */
const block = (number: number) => number * 8 * 86_400

/** Reports that show the same, whatever was deleted. */
const kept: Record<string, string> = {
  'services of all time': '/api/stats/services',
  'services of old days': `/api/stats/services?${range(old('2026-02-03'), old('2026-02-20'))}`,
  'services of some hours': `/api/stats/services?${range(old('2026-02-03') + 7200, since + 3600)}`,
  'clients of all time': '/api/stats/clients',
  'all clients of old days': `/api/stats/clients?includeExcluded=true&${range(old('2026-02-03'), old('2026-06-20'))}`,
  'the dashboard': '/api/stats/dashboard',
  'the overview of old days': `/api/dashboard/batch?${range(old('2026-01-02'), old('2026-09-20'))}`,
  'the overview of an event': '/api/dashboard/batch?eventId=1',
  'days of a game': '/api/ext/games/steam/1000/traffic',
  'hours of a game': `/api/ext/games/steam/1000/traffic?bucketMinutes=180&${range(old('2026-02-03'), old('2026-02-20'))}`,
  'games, merged': '/api/downloads/retro?GroupByGame=true&Sort=largest',
  'services, merged': '/api/downloads/retro?GroupByService=true&Sort=largest',
  'games of old blocks': `/api/downloads/retro?GroupByGame=true&Sort=largest&${retroRange(block(2570), block(2575))}`,
  'a client': '/api/ext/clients/10.0.0.11',
  'the summary since some time': `/api/ext/downloads/summary?StartTime=${since + 3600}`,
  'an event': '/api/downloads/retro?EventId=1',
}

const ofDeleted = ['downloadIds', 'datasource', 'generatedAtUtc']

/** Without what is known of single downloads only. */
const withoutSingles = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer), (name, value: unknown) =>
    ofDeleted.includes(name) || (name === 'downloads' && Array.isArray(value)) ? null : value,
  )

async function figures(): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const [what, path] of Object.entries(kept))
    found[what] = withoutSingles(await app.read(path, 'user'))
  return found
}

/** All rows of a view, and how many it says there are. */
async function rowsOf(query: string) {
  const pages: RetroPage[] = []
  do {
    const path = `/api/downloads/retro?PageSize=200&Page=${pages.length + 1}&${query}`
    pages.push(await app.read(path, 'user'))
  } while (pages.length < (pages[0]?.totalPages ?? 0))
  return { items: pages.flatMap((page) => page.items), total: pages[0]?.totalItems ?? 0 }
}

/** Ids of the single downloads in all pages of the list, and of how many rows it speaks. */
async function listed(query = ''): Promise<{ ids: number[]; rows: number; total: number }> {
  const { items, total } = await rowsOf(query)
  return {
    ids: items.filter(({ depotId }) => depotId === null).flatMap(({ downloadIds }) => downloadIds),
    rows: items.length,
    total,
  }
}

interface Sums {
  hitBytes: number
  missBytes: number
  downloads: number
}

const summed = (rows: readonly Sums[]) =>
  (['hitBytes', 'missBytes', 'downloads'] as const).map((key) =>
    rows.reduce((sum, row) => sum + row[key], 0),
  )

/** Rows of random views, however merged, and the largest of a summary add up to its totals. */
async function expectSummaries(seed: number, keptSince: number): Promise<void> {
  const random = seededRandom(seed)
  const maybe = (share: number, filter: string) => (random.next() < share ? [filter] : [])
  for (let view = 0; view < 20; view++) {
    const moment = () => random.between(old('2025-11-20'), now.getTime() / 1000)
    const [from = 0, until = 0] = [moment(), moment()].toSorted((a, b) => a - b)
    const filters = [
      ...maybe(0.6, `StartTime=${from}`),
      ...maybe(0.6, `EndTime=${until}`),
      ...maybe(0.2, `Service=${random.pick(['steam', 'xbox', 'riot'])}`),
      ...maybe(0.2, 'Client=10.0.0.11'),
      ...maybe(0.3, `Search=${random.pick(['game', '10.0.1', 'steam'])}`),
      ...maybe(0.3, `HitMiss=${random.pick(['hit', 'miss'])}`),
      ...maybe(0.3, 'HideUnknown=true'),
    ]
    const asked = filters.join('&')
    const summary: DownloadsSummary = await app.read(`/api/ext/downloads/summary?${asked}`, 'user')
    const totals = summed([summary.totals])
    const isOld = (asked.includes('StartTime') ? from : 0) < keptSince
    for (const merge of ['GroupByGame', 'GroupByService', ...(isOld ? [] : ['GroupByNothing'])]) {
      const { items, total } = await rowsOf(`${asked}&${merge}=true&includeExcluded=false`)
      const rows = items.map(({ cacheHitBytes: hitBytes, cacheMissBytes: missBytes, ...row }) => ({
        hitBytes,
        missBytes,
        downloads: row.requestCount,
      }))
      expect([asked, merge, ...summed(rows)]).toEqual([asked, merge, ...totals])
      expect([new Set(items.map(({ id }) => id)).size, total]).toEqual([rows.length, rows.length])
      const clients = new Set(items.flatMap(({ clientIps }) => clientIps))
      expect([asked, merge, clients.size]).toEqual([asked, merge, summary.clients])
    }
    for (const rows of [summary.topClients, summary.topGames, summary.topDepots])
      if (rows.length < 10) expect([asked, ...summed(rows)]).toEqual([asked, ...totals])
  }
}

/** Parts of old hours and blocks, which count as whole ones, and these. */
const rounded: [path: string, partly: string, whole: string][] = [
  [
    '/api/stats/services',
    range(old('2026-02-03') + 77, old('2026-02-20') - 1000),
    range(old('2026-02-03'), old('2026-02-20')),
  ],
  [
    '/api/ext/clients/10.0.0.11/traffic',
    range(old('2026-02-03') + 77, old('2026-02-20') - 1000),
    range(old('2026-02-03'), old('2026-02-20')),
  ],
  [
    '/api/ext/downloads/summary',
    retroRange(block(2570) + 3 * 86_400, block(2575) - 2 * 86_400),
    retroRange(block(2570), block(2575)),
  ],
]
const totalsOf = async (path: string) => {
  const answer = await app.read(path, 'user')
  return answer.totals ?? answer
}
const partlies = () => Promise.all(rounded.map(([path, part]) => totalsOf(`${path}?${part}`)))
const wholes = () => Promise.all(rounded.map(([path, , all]) => totalsOf(`${path}?${all}`)))

const retention = '/api/ext/history/retention'
const save = (keepMonths: number | null) => app.send('PUT', retention, 'user', { keepMonths })

test('months are whole ones before the present one', () => {
  expect(monthBefore(now, 3)).toBe(since)
  expect(monthBefore(new Date('2026-01-31T23:59:59Z'), 1)).toBe(old('2025-12-01'))
  expect(monthBefore(new Date('2026-03-31T00:00:00Z'), 13)).toBe(old('2025-02-01'))
})

describe('retention', () => {
  test('everything is kept until an operator wants less', async () => {
    expect(await app.read(retention, 'user')).toEqual({
      keepMonths: null,
      keptSince: null,
    })
    expect(await app.read(`${retention}/preview`, 'user')).toMatchObject({ until: null, bytes: 0 })
    expect((await app.send('POST', `${retention}/run`, 'user')).status).toBe(409)
    expect((await save(0)).status).toBe(400)
  })

  test('rows of any view add up to its summary', () => expectSummaries(1, 0))

  test('deletes what the preview says, and no figure changes at any moment', async () => {
    const before = await figures()
    const ofWhole = await wholes()
    await save(3)
    const isOld = ({ startedAt }: { startedAt: number }) =>
      startedAt < since && (startedAt < old('2026-03-01') || startedAt > old('2026-03-08'))
    const gone = seeded.all.filter(isOld)
    const preview = await app.read(`${retention}/preview`, 'user')
    expect(preview).toMatchObject({
      until: new Date(since * 1000).toISOString(),
      downloads: gone.length,
    })
    expect(preview.partitions).toBeGreaterThan(5)
    expect(preview.bytes).toBeGreaterThan(0)

    // A run that was killed after some batches: the next one continues it.
    app.deps.settings.set('history.keptSince', since)
    const batch = { from: 0, until: since, size: 300, now: now.getTime() }
    const killed = await deleteBatch(seeded.client, batch)
    expect(killed.downloads).toBe(300)
    expect(await figures()).toEqual(before)

    expect((await app.send('POST', `${retention}/run`, 'user')).status).toBe(202)
    const left = async () => {
      const rows = await seeded.client<
        { id: number }[]
      >`SELECT id::float8 AS id FROM downloads ORDER BY id`
      return rows.map(({ id }) => id)
    }
    const expected = seeded.all.filter((row) => !isOld(row)).map(({ id }) => id)
    await eventually(
      async () => (await left()).length === expected.length,
      'old downloads are deleted',
    )
    await eventually(() => app.operations.active('historyRetention') === null, 'the run is over')
    expect(await left()).toEqual(expected)
    expect(await figures()).toEqual(before)
    expect(await partlies()).toEqual(ofWhole)
    // Hours of a zone that is not whole hours away from UTC are those of UTC.
    const environment = { TZ: 'America/St_Johns' }
    const there = await reportApp({ history: seeded.history, now: seededUntil, environment })
    there.deps.settings.set('history.keptSince', since)
    const of: ClientReport = await there.read('/api/ext/clients/10.0.0.11', 'user')
    const ofHours = of.hoursOfDay.reduce((sum, { servedBytes }) => sum + servedBytes, 0)
    expect(ofHours).toBe(of.totals.servedBytes)
    await there.stop()
    const [fine] = await seeded.client<
      { first: Date }[]
    >`SELECT min(bucket_at) AS first FROM traffic`
    expect(fine?.first.getTime()).toBeGreaterThanOrEqual(since * 1000)
    const [failed] = await seeded.client<{ fine: number; hours: number; kept: number }[]>`
      SELECT count(*) FILTER (WHERE old AND extract(minute FROM bucket_at) > 0)::int AS fine,
        count(*) FILTER (WHERE old AND extract(minute FROM bucket_at) = 0)::int AS hours,
        count(*) FILTER (WHERE NOT old AND extract(minute FROM bucket_at) > 0)::int AS kept
      FROM (SELECT bucket_at, bucket_at < to_timestamp(${since}) AS old FROM failed_requests
        WHERE span_seconds = ${failedSpans.five}) AS rows`
    expect(failed?.fine).toBe(0)
    expect(failed?.hours).toBeGreaterThan(100)
    expect(failed?.kept).toBeGreaterThan(100)
    const [objects] = await seeded.client<{ lost: number }[]>`
      SELECT count(*)::int AS lost FROM download_objects
      WHERE download_id NOT IN (SELECT id FROM downloads)`
    expect(objects?.lost).toBe(0)
  })

  test('charts of old days have whole hours, each with its bytes', async () => {
    const [from, end] = [old('2026-02-03'), old('2026-02-05') + 12 * 3600]
    const hours = new Map<number, number>()
    for (const row of seeded.all) {
      if (row.isPrefill || row.startedAt < from || row.startedAt >= end) continue
      const at = row.startedAt - (row.startedAt % 3600)
      hours.set(at, (hours.get(at) ?? 0) + row.hitBytes + row.missBytes)
    }
    const asked = range(from + 77, end - 1000)
    const { bucketMinutes, bucketStarts, totalServed } = (
      await app.read(`/api/dashboard/batch?${asked}`, 'user')
    ).sparklines
    expect(bucketMinutes).toBe(60)
    const points = bucketStarts.map((at: number, index: number) => [at, totalServed.data[index]])
    expect(new Map(points.filter(([, bytes]: number[]) => bytes !== 0))).toEqual(hours)

    const [event] = await seeded.client<{ id: number }[]>`
      INSERT INTO events (name, start_at, end_at, start_local, end_local, color_index, created_at)
      VALUES ('Old', to_timestamp(${from + 77}), to_timestamp(${end - 1000}), '', '', 1, now())
      RETURNING id::int`
    const report = await app.read(`/api/ext/events/${event?.id}/report`, 'user')
    const most = Math.max(...hours.values())
    expect(report).toMatchObject({ bucketMinutes: 60, busiest: { minutes: 60, servedBytes: most } })

    for (const question of [asked, `${asked}&bucketMinutes=5`]) {
      const line = await app.read(`/api/ext/clients/10.0.0.11/traffic?${question}`, 'user')
      expect(line.bucketMinutes).toBe(60)
    }
    const [busiest = 0] = [...hours].find(([, bytes]) => bytes === most) ?? []
    const tenMinutes = range(busiest + 1800, busiest + 2400)
    const { lines } = await app.read(`/api/ext/clients/lines?${tenMinutes}`, 'user')
    const inLines = Object.values<number[]>(lines).flat()
    expect(inLines.reduce((sum, bytes) => sum + bytes, 0)).toBe(most)
  })

  test.each([
    '',
    'Search=game',
    retroRange(since - 40 * 86_400, since + 20 * 86_400),
    'HitMiss=hit',
  ])(
    'lists have the single downloads that are kept, and as many rows as they say: %j',
    async (query) => {
      const { ids, rows, total } = await listed(query)
      expect(rows).toBe(total)
      const kept = new Map(seeded.all.map((row) => [row.id, row]))
      expect(ids.every((id) => (kept.get(id)?.startedAt ?? 0) >= since)).toBe(true)
      if (query === '') {
        const single = seeded.all.filter(
          (row) => row.startedAt >= since && row.depotId === null && !row.isPrefill,
        )
        expect(new Set(ids)).toEqual(new Set(single.map(({ id }) => id)))
        expect(ids).toHaveLength(single.length)
      }
    },
  )

  test('rows of any view add up to its summary afterwards', () => expectSummaries(2, since))

  test('downloads that were kept can still be deleted, and leave the sums of the others', async () => {
    const [sum] = await seeded.client<{ downloads: number }[]>`
      SELECT sum(downloads)::float8 AS downloads FROM download_groups WHERE span_days = 0`
    const removed = await seeded.client`DELETE FROM downloads WHERE id % 3 = 0`
    const [after] = await seeded.client<{ downloads: number }[]>`
      SELECT sum(downloads)::float8 AS downloads FROM download_groups WHERE span_days = 0`
    expect(after?.downloads).toBe((sum?.downloads ?? 0) - removed.count)
  })

  // Ids are ahead of the time after the clock was.
  test.each([
    ['alpha:77', -3_600_000],
    ['alpha:78', 365 * 86_400_000],
  ])(
    'a download (%s) of an old log that is still being read is kept, as its next state would count again',
    async (titleKey, aheadMs) => {
      const [startedAt, slot] = [old('2026-02-10'), 3]
      const times = { startedAt, endedAt: startedAt + 60 }
      const id = firstFreeId(0, now.getTime() + aheadMs, slot)
      const state = (hitBytes: number, revision: number) =>
        downloadRow({ ...times, id, client: '10.0.0.11', titleKey, hitBytes, revision })
      const counted = async () => [
        ...(await seeded.client`
        SELECT downloads::int AS downloads, hit_bytes::int AS bytes FROM title_groups
        WHERE title_key = ${titleKey} AND span_days = 0`),
      ]
      const place = String(BigInt(id) + (BigInt(slot) << 50n))
      if (aheadMs > 0)
        await seeded.client`INSERT INTO ingest_position VALUES ('open', ${place}, '')`
      await ship(seeded.history.connection(), { downloads: [state(1000, 1)] })
      const batch = { from: 0, until: since, size: 300 }
      await deleteBatch(seeded.client, { ...batch, now: now.getTime() })
      await ship(seeded.history.connection(), { downloads: [state(5000, 2)] })
      expect(await counted()).toEqual([{ downloads: 1, bytes: 5000 }])
      // By the next day it is complete.
      await seeded.client`DELETE FROM ingest_position`
      const later = { ...batch, now: now.getTime() + 86_400_000 }
      expect((await deleteBatch(seeded.client, later)).downloads).toBe(1)
      expect(await counted()).toEqual([{ downloads: 1, bytes: 5000 }])
    },
  )

  test('more months bring nothing back, and the environment decides where nobody else does', async () => {
    await save(12)
    expect((await app.read(retention, 'user')).keptSince).toBe(new Date(since * 1000).toISOString())
    const other = await reportApp({
      history: seeded.history,
      now: seededUntil,
      environment: { History__KeepMonths: '6' },
    })
    expect((await other.read(retention, 'user')).keepMonths).toBe(6)
    await other.stop()
  })

  test('nothing waits for long behind a partition that is read, and it is dropped afterwards', async () => {
    const target = seeded.history.connection()
    const [report, dropper] = [openTestClient(target), openTestClient(target)]
    await dropper.begin((transaction) => ensurePartitions(transaction, [old('2001-05-01')], now))
    await report`BEGIN`
    await report`LOCK TABLE traffic IN ACCESS SHARE MODE`
    const dropped = dropPartition(dropper, 'traffic_2001')
    const isWaiting = async () => {
      const locks = await seeded.client`
        SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'
          AND relation = 'traffic'::regclass
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
      return locks.length > 0
    }
    await eventually(isWaiting, 'the partition waits to be dropped')
    await seeded.client.begin(async (writer) => {
      await writer`SET LOCAL lock_timeout = '2500ms'`
      await writer`LOCK TABLE traffic IN ROW EXCLUSIVE MODE`
    })
    expect(await dropped).toBe(false)
    await report`ROLLBACK`
    expect(await dropPartition(dropper, 'traffic_2001')).toBe(true)
    await Promise.all([report.end(), dropper.end()])
  })
})
