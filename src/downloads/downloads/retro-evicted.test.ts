import { describe, expect, test } from 'bun:test'
import { reportApp } from '../../../test/support/report-app.ts'
import { allRetroPages } from '../../../test/support/retro-pages.ts'
import {
  bytes,
  grouped,
  seededReport,
  sum,
  type PlainDownload,
} from '../../../test/support/seeded-report.ts'
import type { EvictedMode } from '../../cache/eviction/model.ts'
import type { Download, RetroDownloadDto } from './model.ts'

const now = '2026-11-01T11:00:00.000Z'
const isEvicted = ({ id, titleKey }: { id: number; titleKey: string }) =>
  id % 3 === 0 || titleKey.endsWith('7')

const seeded = await seededReport(1500)
await seeded.client`
  UPDATE downloads SET is_evicted = true WHERE id % 3 = 0 OR title_key LIKE '%7'`
const app = await reportApp({ history: seeded.history, now })
const shown = seeded.all.filter((row) => !row.isPrefill)

const setMode = async (evictedDataMode: EvictedMode) => {
  const response = await app.send('PUT', '/api/stats/eviction', 'user', { evictedDataMode })
  expect(response.status).toBe(200)
}

const allPages = (query: string) => allRetroPages(app, query)

const rowId = (row: PlainDownload) =>
  row.depotId === null
    ? `no-depot-${row.service}-${row.client}-${row.id}`
    : `depot-${row.depotId}-${row.client}`

/** Comparable facts of merged or single rows: sums, count, first and last moment. */
const facts = (rows: PlainDownload[]) => ({
  hit: sum(rows, 'hitBytes'),
  miss: sum(rows, 'missBytes'),
  downloads: rows.length,
  first: Math.min(...rows.map(({ startedAt }) => startedAt)),
  last: Math.max(...rows.map(({ endedAt }) => endedAt)),
})

function expectRows(items: RetroDownloadDto[], rows: PlainDownload[]): void {
  const expected = [...grouped(rows, rowId)].map(([id, members]) => [id, facts(members)] as const)
  const found = items.map(
    (item) =>
      [
        item.id,
        {
          hit: item.cacheHitBytes,
          miss: item.cacheMissBytes,
          downloads: item.requestCount,
          first: Date.parse(item.startTimeUtc) / 1000,
          last: Date.parse(item.endTimeUtc) / 1000,
        },
      ] as const,
  )
  const byId = (a: readonly [string, unknown], b: readonly [string, unknown]) =>
    a[0] < b[0] ? -1 : 1
  expect(found.toSorted(byId)).toEqual(expected.toSorted(byId))
}

const range = (row: PlainDownload) =>
  row.startedAt >= 1_770_000_000 && row.startedAt <= 1_785_000_000

describe('one evicted download', () => {
  test.each([
    ['show', 200, true],
    ['showClean', 200, false],
    ['hide', 404, null],
    ['remove', 404, null],
  ] as const)('under %s', async (mode, status, mark) => {
    const [gone, present] = [shown.find(isEvicted), shown.find((row) => !isEvicted(row))]
    await setMode('show')
    app.deps.settings.set('eviction.mode', mode)
    const answer = await app.send('GET', `/api/downloads/${gone?.id}`, 'guest')
    expect(answer.status).toBe(status)
    const { download = { isEvicted: null } } = JSON.parse(await answer.text())
    expect(download.isEvicted).toBe(mark)
    expect((await app.send('GET', `/api/downloads/${present?.id}`, 'guest')).status).toBe(200)
  })

  test('of an event is unmarked when marks are disabled', async () => {
    await setMode('show')
    const times = { startTime: 1_770_000_000, endTime: 1_785_000_000 }
    const made = await app.send('POST', '/api/events', 'user', { name: 'Summer', ...times })
    const { id } = JSON.parse(await made.text())
    const marks = async () =>
      (await app.read(`/api/events/${id}/downloads`)).map((row: Download) => row.isEvicted)
    expect(await marks()).toContain(true)
    await setMode('showClean')
    const without = await marks()
    expect(without.length).toBeGreaterThan(0)
    expect(without).not.toContain(true)
  })
})

describe('evicted downloads', () => {
  test('are marked when shown, per row', async () => {
    await setMode('show')
    const items = await allPages('')
    expectRows(items, shown)
    const groups = grouped(shown, rowId)
    for (const item of items) {
      const gone = (groups.get(item.id) ?? []).filter(isEvicted).length
      const all = groups.get(item.id)?.length ?? 0
      expect(item.isEvicted).toBe(gone === all)
      expect(item.isPartiallyEvicted).toBe(gone > 0 && gone < all)
    }
    expect(items.some((item) => item.isEvicted)).toBe(true)
  })

  test('are shown without a mark', async () => {
    await setMode('showClean')
    const items = await allPages('')
    expectRows(items, shown)
    expect(items.filter((item) => item.isEvicted || item.isPartiallyEvicted)).toEqual([])
  })

  test.each([
    ['', () => true],
    ['Service=steam', (row: PlainDownload) => row.service === 'steam'],
    ['Sort=largest', () => true],
    ['Sort=service', () => true],
    ['Search=game%201', (row: PlainDownload) => /game 1/i.test(row.gameName ?? row.service)],
    ['StartTime=1770000000&EndTime=1785000000', range],
    ['StartTime=1770000000', (row: PlainDownload) => row.startedAt >= 1_770_000_000],
  ])('are excluded from %j', async (query, keeps) => {
    await setMode('hide')
    expectRows(
      await allPages(query),
      shown.filter((row) => keeps(row) && !isEvicted(row)),
    )
  })

  test('are excluded from rows of games and services', async () => {
    await setMode('hide')
    const items = await allPages('GroupByService=true')
    const total = items.reduce((all, item) => all + item.requestCount, 0)
    expect(total).toBe(shown.filter((row) => !isEvicted(row)).length)
  })

  test('are excluded from the newest and from exports', async () => {
    await setMode('hide')
    const listed = await app.read('/api/downloads/with-associations?count=500')
    const ids = listed.map(({ download }: { download: { id: number } }) => download.id)
    const kept = seeded.all.filter((row) => !row.isPrefill && !isEvicted(row) && bytes([row]) > 0)
    const newest = kept.sort((a, b) => b.startedAt - a.startedAt || b.id - a.id).slice(0, 500)
    expect(ids).toEqual(newest.map(({ id }) => id))
    const response = await app.send('GET', '/api/ext/downloads/export?format=json', 'user')
    const exported = JSON.parse(await response.text()) as { id: number }[]
    const expected = seeded.all.filter((row) => !row.isPrefill && !isEvicted(row))
    const sorted = (rows: { id: number }[]) => rows.map(({ id }) => id).sort((a, b) => a - b)
    expect(sorted(exported)).toEqual(sorted(expected))
    await setMode('show')
  })
})

test('unnamed rows are called like their service, whatever its name in the log', async () => {
  await setMode('show')
  const nameless = await seeded.client`
    UPDATE titles SET game_name = NULL WHERE service IN ('xbox', 'xboxlive', 'microsoft') RETURNING 1`
  expect(nameless.length).toBeGreaterThan(0)
  const [row, ...others] = await allPages('GroupByGame=true&Service=xboxlive')
  expect(others).toEqual([])
  expect(row).toMatchObject({ id: 'xbox-unknown', service: 'xbox', appName: 'xbox' })
})
