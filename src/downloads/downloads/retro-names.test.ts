import { expect, test } from 'bun:test'
import { seededReport } from '../../../test/support/seeded-report.ts'
import type { RetroDownloadDto } from './model.ts'
import { retroQueryOf, type RetroQuery } from './retro-query.ts'
import { retroRows } from './retro-store.ts'

const seeded = await seededReport(
  2500,
  (client) => client`
    UPDATE titles SET game_name = CASE WHEN title_key LIKE '%7%' THEN NULL ELSE 'Steam' END
    WHERE title_key LIKE '%7%' OR title_key LIKE '%3'`,
)
const lastStart = Math.floor(Math.max(...seeded.all.map(({ startedAt }) => startedAt)))

function rowsOf(change: Partial<RetroQuery>) {
  const remember = <T>(_what: string, compute: () => Promise<T>) => compute()
  const query = { ...retroQueryOf({}), pageSize: 10_000, ...change }
  return seeded.history.read((_db, sql) =>
    retroRows(sql, query, { activeSince: lastStart, remember }),
  )
}

const views = (): Record<string, Partial<RetroQuery>> => ({
  all: {},
  'a part': { period: { start: lastStart - 200 * 86_400, end: lastStart - 30 * 86_400 } },
  'without a client and evicted ones': { without: ['10.0.0.12'], hidesEvicted: true },
  'with prefill, by name': { includePrefill: true, sort: 'alphabetical' },
})

/** As the documentation describes a search. */
const isFound = (search: string) => (row: RetroDownloadDto) =>
  [row.appName, row.service, String(row.depotId ?? ''), row.clientIp].some((text) =>
    text.toLowerCase().includes(search),
  )

test.each(['game 5', 'steam', '10.0.0.12', 'unknown', '22', 'e', 'nothing'])(
  'a search for %j has the matching rows of the whole list',
  async (search) => {
    for (const view of Object.values(views())) {
      const whole = (await rowsOf(view)).items
      const wanted = whole.filter(isFound(search)).map(({ id }) => id)
      const { items, total } = await rowsOf({ ...view, search })
      expect(items.map(({ id }) => id)).toEqual(wanted)
      expect(total).toBe(wanted.length)
      const page = await rowsOf({ ...view, search, page: 3, pageSize: 7 })
      expect(page.items.map(({ id }) => id)).toEqual(wanted.slice(14, 21))
    }
  },
)

test('names that are unknown are left out as long as there are any', async () => {
  for (const name of [null, 'A name']) {
    const client = seeded.client
    if (name !== null) await client`UPDATE titles SET game_name = ${name}`
    for (const view of Object.values(views())) {
      const whole = (await rowsOf(view)).items
      const wanted = whole.filter(({ appName }) => appName !== 'Unknown/Other')
      expect(wanted.length === whole.length).toBe(name !== null)
      const { items, total } = await rowsOf({ ...view, hideUnknown: true })
      expect(items.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
      expect(total).toBe(wanted.length)
    }
  }
})
