import { beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../../test/support/eventually.ts'
import type { History } from '../../../db/history/history.ts'
import type { DownloadsParts } from '../parts.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { freshHistory, openTestClient } from '../../../test/support/postgres.ts'
import { putDownloads } from '../../../test/support/put-downloads.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { awayHistory } from '../../../test/support/report-app.ts'
import { startingStatus } from '../../engines/logs/facade.ts'
import type { IngestStatus } from '../../engines/logs/wire.ts'
import { tagDownload, tagNewDownloads, tagOldDownloads, untagDownload } from './tag-store.ts'
import { connectTagging, tagEveryMs } from './tagging.ts'

const created = Date.parse('2026-11-21T10:00:00.400Z') / 1000
const second = Math.floor(created)

const history = await freshHistory()
const sql = openTestClient(history.connection())
beforeEach(async () => {
  await sql`DELETE FROM events`
  await sql`DELETE FROM downloads`
})

async function event(start: number, end: number): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    INSERT INTO events (name, start_at, end_at, start_local, end_local, color_index, created_at)
    VALUES ('Party', to_timestamp(${start}), to_timestamp(${end}), '', '', 1,
      to_timestamp(${created})) RETURNING id::int AS id`
  return row?.id ?? 0
}

const download = (id: number, startedAt: number) =>
  putDownloads(history, { id, startedAt, endedAt: startedAt + 5 })

const tags = () => sql<{ eventId: number; downloadId: number; isAutomatic: boolean }[]>`
  SELECT event_id::int AS "eventId", download_id::int AS "downloadId",
    is_automatic AS "isAutomatic"
  FROM event_downloads WHERE NOT is_removed ORDER BY event_id, download_id`

const at = (seconds: number) => new Date(seconds * 1000)

describe('one pass', () => {
  test('tags what began inside the event, also before it was made, once', async () => {
    const id = await event(second - 3600, second + 3600)
    await download(1, second - 3601)
    await download(2, second - 1)
    await download(3, second)
    await download(4, second + 3600)
    await download(5, second + 3601)
    expect(await tagNewDownloads(sql, at(second + 10))).toBe(3)
    expect([...(await tags())]).toEqual([
      { eventId: id, downloadId: 2, isAutomatic: true },
      { eventId: id, downloadId: 3, isAutomatic: true },
      { eventId: id, downloadId: 4, isAutomatic: true },
    ])
    expect(await tagNewDownloads(sql, at(second + 20))).toBe(0)
  })

  test('tags a download with every event it began in', async () => {
    const ids = [await event(second, second + 100), await event(second + 50, second + 200)]
    await download(1, second + 60)
    await download(2, second + 150)
    expect(await tagNewDownloads(sql, at(second + 160))).toBe(3)
    expect((await tags()).map(({ eventId, downloadId }) => [eventId, downloadId])).toEqual([
      [ids[0] ?? 0, 1],
      [ids[1] ?? 0, 1],
      [ids[1] ?? 0, 2],
    ])
  })

  test('skips downloads untagged or tagged by hand', async () => {
    const eventId = await event(second, second + 100)
    for (const id of [1, 2, 3]) await download(id, second + id)
    await tagDownload(sql, { eventId, downloadId: 1, now: at(second) })
    await tagNewDownloads(sql, at(second + 10))
    await untagDownload(sql, { eventId, downloadId: 2 })
    expect(await tagNewDownloads(sql, at(second + 11))).toBe(0)
    expect((await tags()).map(({ downloadId, isAutomatic }) => [downloadId, isAutomatic])).toEqual([
      [1, false],
      [3, true],
    ])
  })

  test('includes late rows of a past event, but only for a limited time', async () => {
    await event(second, second + 100)
    await download(1, second + 50)
    expect(await tagNewDownloads(sql, at(second + 100 + 86_401))).toBe(0)
    expect(await tagNewDownloads(sql, at(second + 3600))).toBe(1)
  })

  test('rows of an old log are tagged with the past event that they began in, once', async () => {
    await event(second, second + 100)
    for (const id of [1, 2, 3]) await download(id, second + id)
    await download(4, second + 101)
    const now = at(second + 30 * 86_400)
    expect(await tagOldDownloads(sql, { now, after: 1 })).toBe(2)
    expect((await tags()).map(({ downloadId }) => downloadId)).toEqual([2, 3])
    expect(await tagOldDownloads(sql, { now, after: 1 })).toBe(0)
    expect(await tagOldDownloads(sql, { now, after: null })).toBe(1)
    expect(await tagOldDownloads(sql, { now: at(second + 200), after: 0 })).toBe(0)
  })

  test('does nothing before the event begins', async () => {
    await event(second + 100, second + 200)
    await download(1, second + 150)
    expect(await tagNewDownloads(sql, at(second + 99))).toBe(0)
  })
})

/** The parts that tagging listens to and notifies. */
function connected(reads: History) {
  const time = new ManualTime(at(second + 60).toISOString())
  let ship = () => {}
  let status = startingStatus
  const published: unknown[] = []
  let drops = 0
  const deps = {
    logs: {
      onShipped: (listener: () => void) => void (ship = listener),
      status: () => status,
    },
    history: reads,
    clock: time,
    hub: { publish: (...event: unknown[]) => void published.push(event) },
    log: quietLog,
  }
  // Tagging uses nothing else.
  connectTagging(deps as unknown as DownloadsParts, { dropAll: () => void drops++ }, time)
  const reach = (state: IngestStatus['state'], lagSeconds = 0) =>
    void (status = { ...startingStatus, state, outbox: { ...startingStatus.outbox, lagSeconds } })
  reach('following')
  return { time, ship: () => ship(), published, drops: () => drops, reach }
}

describe('passes', () => {
  test('run when rows arrive, at intervals of some seconds', async () => {
    await event(second, second + 3600)
    await download(1, second + 1)
    const { time, ship, published } = connected(history)
    ship()
    await eventually(() => published.length === 1, 'the change is published')
    const [name, data] = published[0] as [string, object]
    expect([name, data]).toEqual([
      'DownloadsRefresh',
      { source: 'auto-tag', taggedCount: 1, timestamp: at(second + 60).toISOString() },
    ])
    await eventually(() => time.pending === 1, 'the next attempt is due later')
    await download(2, second + 2)
    ship()
    ship()
    await time.advance(tagEveryMs - 1)
    expect(await tags()).toHaveLength(1)
    await time.advance(1)
    await eventually(() => published.length === 2, 'the change is published')
    expect(await tags()).toHaveLength(2)
    // Nothing arrived since: no further pass is scheduled.
    await eventually(() => time.pending === 1, 'the next attempt is due later')
    await time.advance(tagEveryMs)
    expect(time.pending).toBe(0)
  })

  test('an event of last month gets the rows of a log that is read only now', async () => {
    const { time, ship, published, drops } = connected(history)
    await event(second - 30 * 86_400, second - 29 * 86_400)
    for (const id of [1, 2]) {
      await download(id, second - 29.5 * 86_400)
      ship()
      await eventually(() => published.length === id, 'the change is published')
      expect(await tags()).toHaveLength(id)
      expect(drops()).toBe(id)
      await eventually(() => time.pending === 1, 'the next attempt is due later')
      await time.advance(tagEveryMs)
    }
  })

  test('an event of last month gets the downloads that were open while the log was read', async () => {
    const { time, ship, reach } = connected(history)
    const began = second - 29.5 * 86_400
    await event(second - 30 * 86_400, second - 29 * 86_400)
    const afterPass = async (count: number) => {
      await eventually(() => time.pending === 1, 'the next pass is due')
      expect(await tags()).toHaveLength(count)
    }
    reach('reading')
    await download(90_000_000, began)
    ship()
    await afterPass(1)
    // Read a minute before, and sent only now.
    await download(30_000_000, began)
    for (const [lagSeconds, count] of [
      [20, 1],
      [0, 2],
    ] as const) {
      reach('following', lagSeconds)
      await time.advance(tagEveryMs)
      await afterPass(count)
    }
    await time.advance(tagEveryMs)
    expect(time.pending).toBe(0)
  })

  test('resume after the history was away', async () => {
    let reads: Pick<History, 'read'> = awayHistory
    const { time, ship, published } = connected({
      ...awayHistory,
      read: (query) => reads.read(query),
    })
    await event(second, second + 3600)
    await download(1, second + 1)
    ship()
    await eventually(() => time.pending === 1, 'the next attempt is due later')
    reads = history
    await time.advance(tagEveryMs)
    ship()
    await eventually(() => published.length === 1, 'the change is published')
    expect(await tags()).toHaveLength(1)
  })
})
