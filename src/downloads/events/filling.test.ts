import { beforeEach, describe, expect, test } from 'bun:test'
import { HistoryUnavailable } from '../../../db/history/history.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { freshHistory, openTestClient } from '../../../test/support/postgres.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import type {
  OperationContext,
  OperationProgress,
  OperationRequest,
  OperationResult,
} from '../../core/operations/contract.ts'
import type { DownloadsParts } from '../parts.ts'
import type { Reports } from '../reports/reports.ts'
import { sliceRows } from './fill-store.ts'
import { createFilling } from './filling.ts'
import { insertEvent, updateEvent } from './store.ts'
import { tagDownload, untagDownload } from './tag-store.ts'

const now = Date.UTC(2026, 10, 21, 12) / 1000
const day = 86_400
const time = new ManualTime(new Date(now * 1000).toISOString())

const history = await freshHistory()
const sql = openTestClient(history.connection())
beforeEach(async () => {
  // Deleting rows one by one looks for the tags of each among all that were deleted before.
  await sql`TRUNCATE events, downloads CASCADE`
})

/** One download a second, ids from 1. */
const downloads = (count: number, first: number) => sql`
  INSERT INTO downloads (id, datasource, service, tag, client, title_key, is_prefill, started_at,
    ended_at, hit_bytes, miss_bytes, requests, last_url, revision)
  SELECT n, 'default', 'steam', 'steam', '10.0.0.1', '', false, to_timestamp(${first} + n - 1),
    to_timestamp(${first} + n), 1, 0, 1, '', 1 FROM generate_series(1, ${count}::int) AS n`

const wanted = (startTime: number, endTime: number) => ({
  name: 'Party',
  description: null,
  startTime,
  endTime,
  startLocal: '',
  endLocal: '',
  colorIndex: null,
})
const event = async (startTime: number, endTime: number) =>
  (await insertEvent(sql, wanted(startTime, endTime), time.now())).id
const tags = async (): Promise<number[]> => {
  const rows = await sql<{ id: number }[]>`
    SELECT download_id::int AS id FROM event_downloads WHERE NOT is_removed ORDER BY 1`
  return rows.map(({ id }) => id)
}

/** The parts that filling works with; submitted jobs run when the test says so. */
function parts(read: Reports['read'] = (query) => query(sql)) {
  const jobs: OperationRequest[] = []
  const published: unknown[] = []
  let dropped = 0
  const deps = {
    history,
    clock: time,
    log: quietLog,
    hub: { publish: (_name: string, data: unknown) => void published.push(data) },
    operations: { submit: (request: OperationRequest) => void jobs.push(request) },
  }
  // Filling uses nothing else.
  const filling = createFilling(deps as unknown as DownloadsParts, {
    read,
    dropAll: () => void dropped++,
  })
  /** Runs the oldest job; `report` sees its progress. */
  async function run(report: OperationContext['report'] = () => {}, abort = new AbortController()) {
    const context = { operationId: '', signal: abort.signal, report }
    const result: OperationResult | undefined = await jobs.shift()?.run(context)
    return result?.kind
  }
  return { filling, jobs, published, run, dropCount: () => dropped }
}

describe('the whole time of an event is tagged', () => {
  test('also when it was over before it was made; in slices, with progress', async () => {
    const start = now - 30 * day
    const count = 2 * sliceRows + 10
    await downloads(count, start)
    await event(start + 5, start + count - 1)
    const { filling, run, jobs, published, dropCount } = parts()
    await filling.check()
    const percents: number[] = []
    const report = ({ percentComplete = -1 }: OperationProgress) =>
      void percents.push(percentComplete)
    expect(await run(report)).toBe('completed')
    expect((await tags()).length).toBe(count - 5)
    expect((await tags())[0]).toBe(6)
    expect(percents).toHaveLength(3)
    expect(percents.at(-1)).toBe(100)
    expect(percents[0]).toBeCloseTo(50, 0)
    expect(published).toEqual([
      { source: 'auto-tag', taggedCount: count - 5, timestamp: time.now().toISOString() },
    ])
    expect(dropCount()).toBe(1)
    await filling.check()
    expect(jobs).toEqual([])
  })

  test('again when its dates change; what is outside then goes, tags by hand stay', async () => {
    const start = now - 30 * day
    await downloads(100, start)
    const id = await event(start, start + 49)
    const { filling, run, jobs } = parts()
    await filling.check()
    await run()
    await tagDownload(sql, { eventId: id, downloadId: 3, now: time.now() })
    await untagDownload(sql, { eventId: id, downloadId: 45 })
    await updateEvent(sql, { id, event: wanted(start, start + 49), now: time.now() })
    await filling.check()
    expect(jobs).toEqual([])
    const moved = wanted(start + 40, start + 59)
    await updateEvent(sql, { id, event: moved, now: time.now() })
    await filling.check()
    expect(await run()).toBe('completed')
    const inside = Array.from({ length: 20 }, (_, index) => 41 + index)
    expect(await tags()).toEqual([3, ...inside.filter((one) => one !== 45)])
  })

  test('dates that change while it runs are seen by the same run', async () => {
    const start = now - 30 * day
    await downloads(sliceRows + 100, start)
    const id = await event(start, start + sliceRows + 99)
    const { filling, run } = parts()
    await filling.check()
    let isChanged = false
    let change: Promise<unknown> = Promise.resolve()
    const report = () => {
      if (isChanged) return
      isChanged = true
      change = updateEvent(sql, { id, event: wanted(start, start + 9), now: time.now() })
    }
    expect(await run(report)).toBe('completed')
    await change
    expect(await tags()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })
})

describe('a run that does not get to the end', () => {
  const start = now - 30 * day

  test('is taken up by the next one after it was cancelled', async () => {
    await downloads(sliceRows + 100, start)
    await event(start, now)
    const { filling, run } = parts()
    await filling.check()
    const abort = new AbortController()
    expect(await run(() => abort.abort(), abort)).toBe('cancelled')
    expect((await tags()).length).toBe(sliceRows)
    await filling.check()
    expect(await run()).toBe('completed')
    expect((await tags()).length).toBe(sliceRows + 100)
  })

  test('is taken up by the next one after the history was away', async () => {
    await downloads(10, start)
    await event(start, now)
    let reads = 0
    const { filling, run } = parts((query) =>
      ++reads === 4 ? Promise.reject(new HistoryUnavailable('away')) : query(sql),
    )
    await filling.check()
    const failure = await run().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(HistoryUnavailable)
    await filling.check()
    expect(await run()).toBe('completed')
    expect((await tags()).length).toBe(10)
  })
})

test('an event that has not begun needs no run', async () => {
  await event(now + 60, now + 120)
  const { filling, jobs } = parts()
  await filling.check()
  expect(jobs).toEqual([])
})

test('whoever asks while one runs gets another one, the same for all', async () => {
  await event(now - 60, now)
  const { filling, jobs, run } = parts()
  await filling.check()
  await filling.check()
  const [first, second] = jobs
  expect(second?.variant).toBe(first?.variant as string)
  await run()
  await event(now - 60, now)
  await filling.check()
  expect(jobs.at(-1)?.variant).not.toBe(first?.variant as string)
})
