import { describe, expect, test } from 'bun:test'
import { reportApp } from '../../../test/support/report-app.ts'
import {
  bytes,
  grouped,
  seededReport,
  sum,
  type PlainDownload,
} from '../../../test/support/seeded-report.ts'
import type { RetroPage } from './model.ts'

const now = '2026-11-19T11:00:00.000Z'
const pageSize = 97
/** Pages read from the front without counting. */
const shallowPages = 5
const isEvicted = ({ id }: PlainDownload) => id % 5 === 0

// Few distinct sizes, shares and ends, so that ties are common.
const seeded = await seededReport(
  3000,
  (client) => client`
    UPDATE downloads SET is_evicted = id % 5 = 0,
      client = CASE WHEN id % 11 = 0 THEN '127.0.0.1' ELSE client END,
      ended_at = date_trunc('hour', ended_at, 'UTC') + '2 hours',
      hit_bytes = (ARRAY[0, 4096, 0, 1000, 20000000000, 6144])[1 + id % 6],
      miss_bytes = (ARRAY[0, 4096, 0, 2000, 4096])[1 + id % 5]`,
)
const app = await reportApp({ history: seeded.history, now })

interface Row {
  key: string
  /** Id of a single download, 0 for a depot. */
  number: number
  downloads: number
  service: string
  first: number
  last: number
  size: number
  share: number
}

function rowOf(key: string, rows: PlainDownload[]): Row {
  const [one] = rows
  return {
    key,
    number: one === undefined || one.depotId !== null ? 0 : one.id,
    downloads: rows.length,
    service: one?.service ?? '',
    first: Math.min(...rows.map(({ startedAt }) => startedAt)),
    last: Math.max(...rows.map(({ endedAt }) => endedAt)),
    size: bytes(rows),
    share: sum(rows, 'hitBytes') / Math.max(1, bytes(rows)),
  }
}

const rowKey = (row: PlainDownload) =>
  row.depotId === null
    ? `no-depot-${row.service}-${row.client}-${row.id}`
    : `depot-${row.depotId}-${row.client}`

const orders: Record<string, (a: Row, b: Row) => number> = {
  latest: () => 0,
  oldest: (a, b) => a.first - b.first,
  largest: (a, b) => b.size - a.size,
  smallest: (a, b) => a.size - b.size,
  efficiency: (a, b) => b.share - a.share,
  'efficiency-low': (a, b) => a.share - b.share,
  sessions: (a, b) => b.downloads - a.downloads,
  service: (a, b) => (a.service < b.service ? -1 : Number(a.service > b.service)),
}

function expectedRows(keeps: (row: PlainDownload) => boolean, sort: string): string[] {
  const members = seeded.all.filter(keeps)
  return [...grouped(members, rowKey)]
    .map(([key, rows]) => rowOf(key, rows))
    .sort(
      (a, b) =>
        orders[sort]?.(a, b) || b.last - a.last || b.number - a.number || (a.key < b.key ? -1 : 1),
    )
    .map(({ key }) => key)
}

const page = (query: string, number: number): Promise<RetroPage> =>
  app.read(`/api/downloads/retro?${query}&PageSize=${pageSize}&Page=${number}`)

let lists = 0

/**
 * Compares two pages: at the front, in the middle, at the end or beyond it. The pairs alternate, and no
 * number of orders is divisible by theirs, so each order has all of them in different views.
 */
async function expectPages(query: string, sort: string, keeps: (row: PlainDownload) => boolean) {
  const keys = expectedRows(keeps, sort)
  const last = Math.ceil(keys.length / pageSize)
  expect(last).toBeGreaterThan(shallowPages)
  expect(keys.length % pageSize).not.toBe(0)
  const pairs = [
    [1, last],
    [shallowPages + 2, last - 1],
    [Math.round(last / 2), last + 1],
  ]
  for (const number of pairs[lists++ % pairs.length] ?? []) {
    const answer = await page(`${query}&Sort=${sort}`, number)
    expect(answer.totalItems).toBe(keys.length)
    expect(answer.items.map(({ id }) => id)).toEqual(
      keys.slice((number - 1) * pageSize, number * pageSize),
    )
  }
}

const isShown = (row: PlainDownload) => !row.isPrefill
const [start, end] = [1_771_000_077, 1_792_000_000]
const inRange = (row: PlainDownload) => row.startedAt >= start && row.startedAt <= end

describe('far pages equal those of a sorted list, ties included', () => {
  const views: [string, (row: PlainDownload) => boolean][] = [
    ['', isShown],
    [`StartTime=${start}&EndTime=${end}`, (row) => isShown(row) && inRange(row)],
    [`StartTime=${start}`, (row) => isShown(row) && row.startedAt >= start],
    ['HitMiss=miss', isShown],
    ['HideLocalhost=true', (row) => isShown(row) && row.client !== '127.0.0.1'],
    ['includePrefill=true', () => true],
    ['ShowZeroBytes=false', (row) => isShown(row) && bytes([row]) > 0],
  ]
  test.each(views)('of %j', async (query, keeps) => {
    for (const sort of Object.keys(orders)) {
      if (query !== 'HitMiss=miss') {
        await expectPages(query, sort, keeps)
        continue
      }
      const isHit = (rows: PlainDownload[]) =>
        bytes(rows) > 0 && sum(rows, 'hitBytes') >= sum(rows, 'missBytes')
      const shown = seeded.all.filter(keeps)
      const missed = [...grouped(shown, rowKey).values()].filter((rows) => !isHit(rows)).flat()
      const ids = new Set(missed.map(({ id }) => id))
      await expectPages(query, sort, ({ id }) => ids.has(id))
    }
  })

  test('without hidden clients, also with a range and localhost', async () => {
    const hidden = ['10.0.0.12', '10.0.1.14', '127.0.0.1']
    const rules = hidden.map((ip) => ({ ip, mode: 'hide' }))
    await app.send('PUT', '/api/stats/exclusions', 'user', { rules })
    const keeps = (row: PlainDownload) => isShown(row) && !hidden.includes(row.client)
    for (const sort of Object.keys(orders)) {
      await expectPages('', sort, keeps)
      await expectPages('HideLocalhost=true', sort, keeps)
      const range = `StartTime=${start}&EndTime=${end}`
      await expectPages(range, sort, (row) => keeps(row) && inRange(row))
    }
    expect(await page('Client=10.0.0.12', 1)).toMatchObject({ items: [], totalItems: 0 })
    await app.send('PUT', '/api/stats/exclusions', 'user', { rules: [] })
  })

  test('without evicted downloads', async () => {
    await app.send('PUT', '/api/stats/eviction', 'user', { evictedDataMode: 'hide' })
    const keeps = (row: PlainDownload) => isShown(row) && !isEvicted(row)
    for (const sort of Object.keys(orders)) {
      await expectPages('', sort, keeps)
      const range = `StartTime=${start}&EndTime=${end}`
      await expectPages(range, sort, (row) => keeps(row) && inRange(row))
    }
    await app.send('PUT', '/api/stats/eviction', 'user', { evictedDataMode: 'show' })
  })
})
