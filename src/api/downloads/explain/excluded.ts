import { leftOutClients } from '../exclusions/service.ts'
import type { Deps } from '../../../deps.ts'
import { everything, focusExtent } from '../reports/focus.ts'
import { allTime } from '../reports/range.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import { serviceSums } from '../reports/traffic.ts'
import type { Explanation } from './model.ts'

/** Downloads that began in a scope, of one client or of all. */
async function began(reports: Reports, scope: Scope, client: string | null): Promise<number> {
  if (client !== null) {
    const focus = { ...everything, client }
    return (await reports.read((sql) => focusExtent(sql, scope, focus)))?.downloads ?? 0
  }
  const rows = await reports.read((sql) => serviceSums(sql, scope))
  return rows.reduce((sum, row) => sum + row.downloads, 0)
}

interface Question {
  scope: Scope
  client: string | null
  /** Whether clients that are only left out of sums are left out. */
  isCounted: boolean
  /** Guests are not told that there are hidden clients. */
  isGuest: boolean
}

/**
 * How many downloads are not in a figure, and why: each is counted under the first reason that
 * applies to it, in this order: another time, prefill, a hidden client, one that is left out of sums.
 */
export async function excludedDownloads(
  { state }: Pick<Deps, 'state'>,
  reports: Reports,
  { scope: asked, client, isCounted, isGuest }: Question,
): Promise<Explanation['excluded']> {
  const { hidden, uncounted } = leftOutClients(state)
  const count = (scope: Scope) => began(reports, scope, client)
  const within = { ...asked, includePrefill: true, without: [] }
  const people = { ...asked, without: [] }
  const [ever, all, wanted, shown, counted] = await Promise.all([
    count({ ...within, period: allTime, eventId: null }),
    count(within),
    count(people),
    count({ ...people, without: hidden }),
    isCounted ? count({ ...people, without: uncounted }) : null,
  ])
  const found = [
    { reason: 'outsideRange' as const, count: ever - all },
    { reason: 'prefill' as const, count: all - wanted },
    { reason: 'hiddenClients' as const, count: isGuest ? 0 : wanted - shown },
    { reason: 'excludedClients' as const, count: counted === null ? 0 : shown - counted },
  ]
  return found.filter((one) => one.count > 0)
}
