import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readPlans, rowsRead, type PlanReader } from '../../test/support/plans.ts'
import { freshDatabase } from '../../test/support/postgres.ts'
import { seedHistory } from '../../test/support/seed-history.ts'
import type { RetroParameters } from './downloads/model.ts'
import { withNearEnds } from './downloads/retro-period.ts'
import { retroQueryOf, type RetroQuery } from './downloads/retro-query.ts'
import { retroRows } from './downloads/retro-store.ts'
import { selectSums } from './games/summary.ts'

const until = new Date('2026-11-21T12:00:00Z')
const now = until.getTime() / 1000
const day = 86_400
const year = { StartTime: now - 364 * day + 77, EndTime: now }
const without = ['10.0.0.12']
const downloads = 30_000

let plans: PlanReader
/** Groups of the hidden client, and of all, in blocks of all spans. */
let groups: { hidden: number; all: number }

beforeAll(async () => {
  const target = await freshDatabase()
  await seedHistory(target, { downloads, until, titles: 120 })
  plans = readPlans(target)
  const [row] = await plans.sql<(typeof groups)[]>`
    SELECT (count(*) FILTER (WHERE client = ANY(${without}::text[])))::int AS hidden,
      count(*)::int AS all FROM download_groups`
  groups = row ?? { hidden: 0, all: 0 }
  await plans.sql`VACUUM ANALYZE`
})
afterAll(() => plans.sql.end())

const options = { activeSince: now - 15, farRows: 100 }

/** A page whose shape and blocks another one has left. */
async function pageRead(parameters: RetroParameters, change: Partial<RetroQuery> = {}) {
  const known = new Map<string, Promise<unknown>>()
  const remember = <T>(what: string, compute: () => Promise<T>) => {
    const found = known.get(what) ?? compute()
    known.set(what, found)
    return found as Promise<T>
  }
  const query = { ...retroQueryOf(parameters), ...change }
  const read = () => retroRows(plans.sql, query, { ...options, remember })
  await read()
  return plans.plansOf(read, true)
}

async function summaryRead(parameters: RetroParameters, change: Partial<RetroQuery> = {}) {
  const query = { ...retroQueryOf({ ...parameters, GroupByGame: true }), ...change }
  const view = await withNearEnds(plans.sql, query)
  return plans.plansOf(() => selectSums(plans.sql, view), true)
}

describe('rows that a page reads', () => {
  test.each([{ GroupByGame: true }, { GroupByService: true }])(
    'a hidden client is subtracted from the sums of all: %j',
    async (merge) => {
      for (const rest of [{}, year]) {
        const [shown, hiding] = [
          rowsRead(await pageRead({ ...merge, ...rest }), /^download_groups/),
          rowsRead(await pageRead({ ...merge, ...rest }, { without }), /^download_groups/),
        ]
        expect(groups.hidden).toBeLessThan(groups.all / 10)
        expect(hiding - shown).toBeLessThan(groups.hidden * 2)
      }
    },
  )
})
