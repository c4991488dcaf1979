import type { Fragment, Sql } from 'postgres'
import type { Period } from '../reports/range.ts'
import type { RetroQuery } from './retro-query.ts'

export const daySeconds = 86_400
/** Width of the finest blocks of stored sums. */
export const blockSeconds = 8 * daySeconds

/** True when the period reaches into time of which single downloads are no longer kept. */
export const isPartlyKept = ({ keptSince, period, eventId }: RetroQuery): boolean =>
  keptSince !== null && eventId === null && (period.start ?? 0) < keptSince

/** The part of the period of which single downloads are kept. */
export const keptSingles = (query: RetroQuery): Period => {
  const { period, keptSince } = query
  return isPartlyKept(query) ? { ...period, start: keptSince } : period
}

/** The period in whole blocks where single downloads are no longer kept. */
export function inBlocks({ period, keptSince }: RetroQuery): Period {
  const since = keptSince ?? 0
  const isInside = (at: number) => at % blockSeconds !== 0 && at - (at % blockSeconds) < since
  const { start, end } = period
  return {
    start: start === null ? null : start - (start % blockSeconds),
    end:
      end === null || !isInside(end + 1)
        ? end
        : Math.ceil((end + 1) / blockSeconds) * blockSeconds - 1,
  }
}

/** With at most this many downloads after a period, its end is dropped and they are subtracted. */
const afterMax = 300

/**
 * The query without period bounds that exclude nothing: saves checking rows, and sums of all time
 * apply.
 */
export async function withNearEnds(sql: Sql, query: RetroQuery): Promise<RetroQuery> {
  const { start, end } = query.period
  if (query.eventId !== null || (start === null && end === null)) return query
  // In index order: otherwise the planner prefers scanning the table until it has enough.
  const some = (outside: Fragment, max: number) => sql`(
    SELECT count(*)::int FROM (SELECT 1 FROM downloads ${outside} LIMIT ${max + 1}::int) AS outside
  )`
  const { keptSince } = query
  // What lay outside may be deleted.
  const isCut = (at: number) => keptSince !== null && at < keptSince
  const before = (at: number) =>
    some(sql`WHERE started_at < to_timestamp(${at}) ORDER BY started_at, id`, 0)
  const after = (at: number) =>
    some(sql`WHERE started_at >= to_timestamp(${at}) ORDER BY started_at DESC, id DESC`, afterMax)
  const [outside] = await sql<{ before: number; after: number }[]>`
    SELECT ${start === null ? sql`0` : keptSince === null ? before(start) : sql`1`} AS before,
      ${end === null ? sql`0` : isCut(end) ? sql`${afterMax + 1}::int` : after(end + 1)} AS after`
  if (outside === undefined) return query
  return {
    ...query,
    period: { start: outside.before === 0 ? null : start, end: outside.after === 0 ? null : end },
    isNearEnd: outside.after > 0 && outside.after <= afterMax,
  }
}
