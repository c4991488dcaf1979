import { expect, test } from 'bun:test'
import { seededReport } from '../../../test/support/seeded-report.ts'
import { retroQueryOf, type RetroQuery } from './retro-query.ts'
import { retroRows } from './retro-store.ts'

// Equal times are common, and downloads span the borders of blocks.
const seeded = await seededReport(
  2500,
  (client) => client`
    UPDATE downloads SET is_evicted = id % 5 = 0,
      started_at = started_at - (id % 7) * interval '2 days',
      ended_at = date_trunc('hour', ended_at, 'UTC') + '2 hours'`,
)
const lastStart = Math.floor(Math.max(...seeded.all.map(({ startedAt }) => startedAt)))

/** Ids of one page, in which `farRows` rows are skipped before it begins at a block. */
async function idsOf(query: RetroQuery, farRows: number): Promise<string[]> {
  const remember = <T>(_what: string, compute: () => Promise<T>) => compute()
  const options = { activeSince: lastStart, remember, farRows }
  const read = seeded.history.read((_db, sql) => retroRows(sql, query, options))
  return (await read).items.map(({ id }) => id)
}

const period = (daysBefore: number, daysAgo: number) => ({
  start: lastStart - daysBefore * 86_400 + 77,
  end: lastStart - daysAgo * 86_400,
})
const views: [string, () => Partial<RetroQuery>][] = [
  ['all', () => ({})],
  ['a part', () => ({ period: period(200, 30) })],
  ['all but the last minutes', () => ({ period: { start: null, end: lastStart - 3600 } })],
  ['since', () => ({ period: { ...period(250, 0), end: null } })],
  ['with prefill, mostly missed', () => ({ includePrefill: true, hitMiss: 'miss' })],
  ['of a client', () => ({ client: '10.0.0.12' })],
  ['without evicted ones and a client', () => ({ hidesEvicted: true, without: ['10.0.0.12'] })],
]
const sorts = ['latest', 'oldest', 'sessions', 'service'] as const

test.each(views)('pages that begin at blocks are the whole list, of %s', async (_what, change) => {
  for (const sort of sorts) {
    const view = { ...retroQueryOf({}), ...change(), sort }
    const whole = await idsOf({ ...view, pageSize: 10_000 }, Infinity)
    expect(whole.length).toBeGreaterThan(50)
    const pageSize = Math.ceil(whole.length / 6)
    const paged: string[] = []
    for (let page = 1; paged.length < whole.length; page++) {
      const ids = await idsOf({ ...view, page, pageSize }, 0)
      if (ids.length === 0) break
      paged.push(...ids)
    }
    expect(paged).toEqual(whole)
  }
})
