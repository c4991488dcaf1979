import type { Fragment, Sql } from 'postgres'
import type { Bounds, Period } from '../reports/range.ts'
import type { RetroQuery } from './retro-query.ts'

/** Blocks of days that sums of downloads are stored of, widest first. */
export const spans = [64, 8] as const

/** Blocks of so many seconds between two instants that are multiples of them. */
export function inBlocks(
  sql: Sql,
  { seconds, from, until }: Bounds & { seconds: number },
): Fragment {
  const lower = from === null ? sql`` : sql`AND block >= ${from / seconds}`
  const upper = until === null ? sql`` : sql`AND block < ${until / seconds}`
  return sql`${lower} ${upper}`
}

/** What lies outside the period at the ends where only few downloads do. */
export function outsidePeriods({ period: { start, end }, isNear }: RetroQuery): Period[] {
  const before = isNear.start && start !== null ? [{ start: null, end: start - 1 }] : []
  const after = isNear.end && end !== null ? [{ start: end + 1, end: null }] : []
  return [...before, ...after]
}
