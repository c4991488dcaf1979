import { afterAll, describe, expect, test } from 'bun:test'
import { readPlans, rowsRead } from '../../test/support/plans.ts'
import { freshDatabase } from '../../test/support/postgres.ts'
import { seedHistory } from '../../test/support/seed-history.ts'
import type { RetroParameters } from './downloads/model.ts'
import { withNearEnds } from './downloads/retro-period.ts'
import { retroQueryOf, type RetroQuery } from './downloads/retro-query.ts'
import { retroRows } from './downloads/retro-store.ts'
import { selectSums } from './games/summary.ts'
import { everything, focusDays } from './reports/focus.ts'
import { allTime } from './reports/range.ts'

const until = new Date('2026-11-21T12:00:00Z')
const now = until.getTime() / 1000
const day = 86_400
const quarter = { StartTime: now - 100 * day + 77, EndTime: now }
const year = { StartTime: now - 364 * day + 77, EndTime: now }
const without = ['10.0.0.12']
const downloads = 30_000

const target = await freshDatabase()
await seedHistory(target, { downloads, until, titles: 120, clients: 40 })
const plans = readPlans(target)
/** Groups of all titles and clients in blocks of all spans. */
const [{ all: groups } = { all: 0 }] = await plans.sql<{ all: number }[]>`
  SELECT count(*)::int AS all FROM download_groups`
await plans.sql`VACUUM ANALYZE`
afterAll(() => plans.sql.end())

const options = { activeSince: now - 15, farRows: 100 }

/** A page whose shape and blocks another one has left. */
async function page(parameters: RetroParameters, change: Partial<RetroQuery> = {}) {
  const known = new Map<string, Promise<unknown>>()
  const remember = <T>(what: string, compute: () => Promise<T>) => {
    const found = known.get(what) ?? compute()
    known.set(what, found)
    return found as Promise<T>
  }
  const query = { ...retroQueryOf(parameters), ...change }
  const read = () => retroRows(plans.sql, query, { ...options, remember })
  const { items } = await read()
  return { items, nodes: await plans.plansOf(read, true) }
}

const pageRead = async (...asked: Parameters<typeof page>) => (await page(...asked)).nodes

async function summaryRead(parameters: RetroParameters, change: Partial<RetroQuery> = {}) {
  const query = { ...retroQueryOf({ ...parameters, GroupByGame: true }), ...change }
  const view = await withNearEnds(plans.sql, query)
  return plans.plansOf(() => selectSums(plans.sql, view), true)
}

const firstPages = [10, 50, 200].flatMap((PageSize): RetroParameters[] => [
  { PageSize },
  { ...quarter, PageSize },
])

describe('rows that a list reads', () => {
  test.each([{ GroupByGame: true }, { GroupByService: true }])(
    'a hidden client is subtracted from the sums of all: %j',
    async (merge) => {
      const groupsOf = async (change: Partial<RetroQuery>) =>
        rowsRead(await pageRead({ ...merge, ...quarter }, change), /^download_groups/)
      expect((await groupsOf({ without })) - (await groupsOf({}))).toBeLessThan(groups / 20)
    },
  )

  test('a search reads the groups of the titles that it may find', async () => {
    const [row] = await plans.sql<{ found: number }[]>`
      SELECT count(*)::int AS found FROM download_groups JOIN titles USING (title_key)
      WHERE span_days = 0 AND game_name LIKE '%Game 11%'`
    const found = row?.found ?? 0
    expect(found).toBeGreaterThan(0)
    const read = rowsRead(await pageRead({ Search: 'game 11' }), /^download_groups/)
    expect(read).toBeLessThan(found * 4)
  })

  test.each(firstPages)(
    'the first page reads the sums of its own titles and clients: %j',
    async (view) => {
      const { items, nodes } = await page(view)
      const depots = items.filter(({ depotId }) => depotId !== null)
      expect(depots.length).toBeGreaterThan(0)
      const titles = depots.map(({ titleKey }) => titleKey ?? '')
      const clients = depots.map(({ clientIp }) => clientIp)
      const since = view.StartTime ?? null
      const [row] = await plans.sql<{ own: number }[]>`
        SELECT count(*)::int AS own FROM download_groups
        WHERE title_key = ANY(${titles}::text[]) AND client = ANY(${clients}::text[])
          AND (span_days = 0) = ${since === null} AND last_at >= to_timestamp(${since ?? 0})`
      const stored = nodes.filter((node) => node['Node Type'] !== 'Index Only Scan')
      expect(rowsRead(stored, /^download_groups/)).toBeLessThanOrEqual(row?.own ?? 0)
    },
  )

  test.each(['latest', 'oldest'])('a far page begins at a block of days, %s', async (Sort) => {
    const perBlock = (downloads / 365) * 8
    const nodes = await pageRead({ Sort, Page: 250 })
    expect(rowsRead(nodes, /^downloads$/)).toBeLessThan(perBlock * 3)
  })
})

test('a summary sums clients of a year without titles', async () => {
  const nodes = await summaryRead(year)
  expect(nodes.filter((node) => node['Relation Name']?.startsWith('download_groups'))).toEqual([])
})

test('days of a service subtract those of a hidden client', async () => {
  const scope = { period: allTime, eventId: null, includePrefill: false, without }
  const focus = { ...everything, services: ['steam'] }
  const nodes = await plans.plansOf(() => focusDays(plans.sql, scope, focus), true)
  const [row] = await plans.sql<{ all: number }[]>`
    SELECT count(*)::int AS all FROM client_service_day WHERE service = 'steam'`
  expect(rowsRead(nodes, /^client_service_day$/)).toBeLessThan((row?.all ?? 0) / 3)
})
