import { beforeEach, expect, test } from 'bun:test'
import { seededReport } from '../../../test/support/seeded-report.ts'
import { retroQueryOf, retroSorts, type RetroQuery } from './retro-query.ts'
import { growthSeconds } from './retro-seek.ts'
import { retroRows } from './retro-store.ts'

const seeded = await seededReport(2500)
const lastStart = Math.floor(Math.max(...seeded.all.map(({ startedAt }) => startedAt)))
const seededMax = Math.max(...seeded.all.map(({ id }) => id))
const lastEnd = Math.ceil(Math.max(...seeded.all.map(({ endedAt }) => endedAt)))
const pageSize = 200
/** The first page that is not read from the front of an index. */
const farPage = 6

let arrived = 0
beforeEach(async () => {
  await seeded.client`DELETE FROM downloads WHERE id > ${seededMax}`
  // Bounds of blocks only grow; a view would include what arrives up to them.
  await seeded.client`UPDATE download_blocks SET last_at = least(last_at, to_timestamp(${lastEnd}))`
  arrived = 0
})

/** Single downloads of all kinds, later than all others. */
async function arrive(rows: number): Promise<void> {
  const from = lastEnd + growthSeconds + arrived
  await seeded.client`
    INSERT INTO downloads (id, datasource, service, tag, client, title_key, is_prefill, started_at,
      ended_at, hit_bytes, miss_bytes, requests, last_url, revision)
    SELECT ${seededMax + arrived} + n, datasource, service, tag, client, title_key, is_prefill,
      to_timestamp(${from} + n), to_timestamp(${from} + n + 60), hit_bytes, miss_bytes, requests,
      last_url, revision
    FROM (
      SELECT row_number() OVER (ORDER BY id * 7919 % 1009) AS n, * FROM downloads
      WHERE id <= ${seededMax} AND title_key NOT LIKE 'alpha:%'
    ) AS copied WHERE n <= ${rows}`
  arrived += rows
}

type Remember = <T>(what: string, compute: () => Promise<T>) => Promise<T>
const forget: Remember = (_what, compute) => compute()

function remembering(): Remember {
  const known = new Map<string, Promise<unknown>>()
  return <T>(what: string, compute: () => Promise<T>) => {
    const value = known.get(what) ?? compute()
    known.set(what, value)
    // A name always stands for the same kind of value.
    return value as Promise<T>
  }
}

async function idsOf(view: Partial<RetroQuery>, remember = forget): Promise<string[]> {
  const query = { ...retroQueryOf({}), pageSize, ...view }
  const options = { activeSince: lastStart, remember, farRows: 100 }
  const { items } = await seeded.history.read((_db, sql) => retroRows(sql, query, options))
  return items.map(({ id }) => id)
}

/** The pages from this one on, with more downloads before each of them. */
async function walk(view: Partial<RetroQuery>, first: number, remember?: Remember) {
  const ids: string[] = []
  for (let page = first; ; page++) {
    await arrive(50)
    const own = await idsOf({ ...view, page }, remember)
    ids.push(...own)
    if (own.length < pageSize) return ids
  }
}

const whole = (view: Partial<RetroQuery>) => idsOf({ ...view, pageSize: 10_000 })

test.each(retroSorts)('a range that is over has the same pages, %s', async (sort) => {
  // Few downloads are after it at first, then many.
  const view = { sort, period: { start: lastStart - 300 * 86_400, end: lastStart - 3600 } }
  const before = await whole(view)
  expect(await walk(view, 1)).toEqual(before)
  expect(arrived).toBeGreaterThan(300)
})

test.each(retroSorts)('far pages are those of the view that was counted, %s', async (sort) => {
  const remember = remembering()
  const before = (await whole({ sort })).slice((farPage - 1) * pageSize)
  await idsOf({ sort, page: farPage }, remember)
  expect(await walk({ sort }, farPage, remember)).toEqual(before)
})

test.each(retroSorts)(
  'downloads that grow stay in a view that was counted before, %s',
  async (sort) => {
    const newest = seeded.all.toSorted((a, b) => b.endedAt - a.endedAt).slice(0, 100)
    const grow = (seconds: number) => seeded.client`
    UPDATE downloads SET ended_at = ended_at + ${seconds} * interval '1 second'
    WHERE id = ANY(${newest.map(({ id }) => id)}::bigint[])`
    const remember = remembering()
    await idsOf({ sort, page: farPage }, remember)
    await grow(120)
    const grown = (await whole({ sort })).slice((farPage - 1) * pageSize)
    const pages: string[] = []
    for (let page = farPage; pages.length < grown.length; page++) {
      const ids = await idsOf({ sort, page }, remember)
      if (ids.length === 0) break
      pages.push(...ids)
    }
    await grow(-120)
    expect(pages).toEqual(grown)
  },
)

test('pages from the oldest on have every download once', async () => {
  const before = await whole({ sort: 'oldest' })
  const seen = await walk({ sort: 'oldest' }, 1)
  expect(seen.slice(0, before.length)).toEqual(before)
})

test('pages from the newest on lose no download', async () => {
  const before = await whole({})
  const seen = await walk({}, 1)
  expect(seen).toEqual(expect.arrayContaining(before))
  // Each page begins as many rows further up as have arrived.
  expect(seen.length - before.length).toBeLessThan(arrived)
})
