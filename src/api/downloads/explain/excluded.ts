import { leftOutClients } from '../exclusions/service.ts'
import type { Deps } from '../../../deps.ts'
import { focusExtent, type Focus } from '../reports/focus.ts'
import { allTime } from '../reports/range.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import { clientSums, serviceSums } from '../reports/traffic.ts'
import type { Explanation } from './model.ts'

/** Clients of one event that are looked through. */
const clientsMax = 10_000

/** Downloads that began in a scope, of one focus or of all. */
async function began(reports: Reports, scope: Scope, focus: Focus | null): Promise<number> {
  const { read } = reports
  if (focus === null) {
    const rows = await read((sql) => serviceSums(sql, scope))
    return rows.reduce((sum, row) => sum + row.downloads, 0)
  }
  if (scope.eventId === null) {
    return (await read((sql) => focusExtent(sql, scope, focus)))?.downloads ?? 0
  }
  // Of single things only clients are asked about within an event.
  const rows = await read((sql) => clientSums(sql, scope, { limit: clientsMax, merged: [] }))
  return rows.rows.find(({ name }) => name === focus.client)?.downloads ?? 0
}

interface Question {
  scope: Scope
  focus: Focus | null
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
  { scope: asked, focus, isCounted, isGuest }: Question,
): Promise<Explanation['excluded']> {
  const { hidden, uncounted } = leftOutClients(state)
  const count = (scope: Scope) => began(reports, scope, focus)
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
