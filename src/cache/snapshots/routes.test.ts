import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { HistoryUnavailable } from '../../../db/history/history.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { freshHistory } from '../../../test/support/postgres.ts'
import { reportApp } from '../../../test/support/report-app.ts'
import { takeSnapshot } from './service.ts'
import { historyPointsMax } from './store.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const gib = 1024 ** 3
const now = Date.parse('2026-11-21T12:00:00Z')

const history = await freshHistory()
const app = await reportApp({ history, environment: { CacheSnapshots__RetentionDays: '90' } })

const put = (rows: { at: number; used: number }[]) =>
  history.read(async (_db, sql) => {
    await sql`TRUNCATE cache_snapshots`
    const values = rows.map(({ at, used }) => ({
      taken_at: new Date(at).toISOString(),
      used_bytes: Math.round(used),
      total_bytes: 1000 * gib,
      used_ratio: used / (1000 * gib),
    }))
    for (let from = 0; from < values.length; from += 5000) {
      await sql`INSERT INTO cache_snapshots ${sql(values.slice(from, from + 5000))}`
    }
  })
const kept = () =>
  history.read(
    (_db, sql) => sql<{ at: Date; used: number; total: number }[]>`
    SELECT taken_at AS at, used_bytes::float8 AS used, total_bytes::float8 AS total
    FROM cache_snapshots ORDER BY taken_at`,
  )

describe('stored sizes', () => {
  test('takes a snapshot now and deletes old ones', async () => {
    await put([
      { at: now - 91 * dayMs, used: gib },
      { at: now - 89 * dayMs, used: gib },
    ])
    await takeSnapshot(app.deps)
    const rows = await kept()
    expect(rows.map(({ at }) => new Date(at).getTime())).toEqual([now - 89 * dayMs, now])
    const info = (await app.read('/api/dashboard/batch')).cache
    expect(rows[1]?.total).toBe(info.totalCacheSize)
    expect(rows[1]?.used).toBeGreaterThan(0)
  })

  test('of two at the same moment, one is stored', async () => {
    await put([])
    await takeSnapshot(app.deps)
    await takeSnapshot(app.deps)
    expect(await kept()).toHaveLength(1)
  })

  test('takes one every hour', async () => {
    await put([])
    app.deps.settings.set('setup.isCompleted', true)
    app.deps.schedules.start()
    await app.time.advance(hourMs + 10_000)
    await eventually(async () => (await kept()).length === 1, 'the first one')
    await app.time.advance(hourMs)
    await eventually(async () => (await kept()).length === 2, 'the second one')
    app.deps.schedules.stop()
    const [first, second] = (await kept()).map(({ at }) => new Date(at).getTime())
    // Each up to ten seconds after its hour; the upper bound is exclusive.
    expect((second ?? 0) - (first ?? 0)).toBeWithin(hourMs - 10_000, hourMs + 10_001)
  })

  test('while the history is away snapshots are skipped, and the answer says so', async () => {
    const away = await reportApp()
    const failure = await takeSnapshot(away.deps).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(HistoryUnavailable)
    await away.stop()
  })

  test('a disk that is away leaves a gap', async () => {
    await put([])
    const gone = await reportApp({ history })
    rmSync(join(gone.root, 'cache'), { recursive: true })
    await takeSnapshot(gone.deps)
    await gone.stop()
    expect(await kept()).toHaveLength(0)
  })
})

describe('GET /api/ext/cache/forecast', () => {
  test('uses the growth of the last thirty days', async () => {
    const at = app.time.now().getTime()
    const hours = Array.from({ length: 40 * 24 }, (_, index) => index)
    await put(
      hours.map((index) => {
        const age = hours.length - index
        // Fast growth until a month ago, five GiB a day since.
        const used = age > 720 ? 10 * gib : 10 * gib + ((720 - age) / 24) * 5 * gib
        return { at: at - age * hourMs, used }
      }),
    )
    await app.time.advance(3000)
    const forecast = await app.read('/api/ext/cache/forecast')
    expect(forecast.growthBytesPerDay / gib).toBeCloseTo(5, 1)
    expect(forecast.basis.snapshots).toBe(719)
    expect(forecast.basis.days).toBeCloseTo(29.9, 0)
    expect(forecast.totalBytes).toBeGreaterThan(forecast.roomBytes)
    expect(forecast.daysUntilFull).toBeCloseTo(forecast.roomBytes / forecast.growthBytesPerDay, 1)
  })

  test('without history there is no number of days', async () => {
    await put([])
    await app.time.advance(3000)
    const forecast = await app.read('/api/ext/cache/forecast')
    expect(forecast).toMatchObject({ growthBytesPerDay: null, basis: { snapshots: 0, from: null } })
    expect(forecast.reason).toBe('tooLittleHistory')
  })

  test('reports that the history is away', async () => {
    const away = await reportApp()
    const answer = await away.send('GET', '/api/ext/cache/forecast', 'guest')
    expect(answer.status).toBe(503)
    expect(answer.headers.get('Retry-After')).not.toBeNull()
    await away.stop()
  })
})

describe('GET /api/ext/cache/history', () => {
  const from = now / 1000 - 90 * 86_400

  test('returns every size of a range, both ends inclusive', async () => {
    await put([
      { at: from * 1000, used: 1 },
      { at: (from + 10) * 1000, used: 2 },
      { at: (from + 11) * 1000, used: 3 },
    ])
    const { items, isThinned } = await app.read(
      `/api/ext/cache/history?start=${from}&end=${from + 10}`,
    )
    expect(items.map(({ usedBytes }: { usedBytes: number }) => usedBytes)).toEqual([1, 2])
    expect(isThinned).toBe(false)
    expect(items[0].takenAt).toBe(new Date(from * 1000).toISOString())
  })

  test('thins long ranges evenly, keeping the last', async () => {
    const count = 9000
    await put(
      Array.from({ length: count }, (_, index) => ({
        at: (from + index * 600) * 1000,
        used: index + 1,
      })),
    )
    const path = `/api/ext/cache/history?start=${from}&end=${now / 1000}`
    const { items, isThinned, bucketSeconds } = await app.read(path)
    expect(isThinned).toBe(true)
    expect(items.length).toBeLessThanOrEqual(historyPointsMax)
    expect(items.length).toBeGreaterThan(historyPointsMax / 2)
    expect(items.at(-1).usedBytes).toBe(count)
    expect(bucketSeconds).toBeGreaterThan(600)
  })

  test.each(['start=5&end=4', 'start=x', 'end=-1'])('%s is refused', async (query) => {
    const answer = await app.send('GET', `/api/ext/cache/history?${query}`, 'guest')
    expect(answer.status).toBe(400)
  })
})

describe('GET /api/stats/cache-snapshot', () => {
  const at = now / 1000 - 5 * 86_400
  const ask = (start: number, end: number) =>
    app.read(`/api/stats/cache-snapshot?startTime=${start}&endTime=${end}`)

  test('first, last and mean of a range; the previous one when it is empty', async () => {
    await put([
      { at: at * 1000, used: 100 },
      { at: (at + 3600) * 1000, used: 200 },
      { at: (at + 7200) * 1000, used: 600 },
    ])
    expect(await ask(at, at + 7200)).toEqual({
      hasData: true,
      startUsedSize: 100,
      endUsedSize: 600,
      averageUsedSize: 300,
      totalCacheSize: 1000 * gib,
      snapshotCount: 3,
      isEstimate: false,
    })
    expect(await ask(at + 3700, at + 3800)).toMatchObject({
      startUsedSize: 200,
      endUsedSize: 200,
      snapshotCount: 1,
      isEstimate: true,
    })
    expect(await ask(at - 7200, at - 3600)).toMatchObject({ hasData: false, snapshotCount: 0 })
  })

  test('both ends are required', async () => {
    const answer = await app.read(`/api/stats/cache-snapshot?startTime=${at}`)
    expect(answer).toMatchObject({ hasData: false, isEstimate: false })
  })
})
