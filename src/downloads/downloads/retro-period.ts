import type { Fragment, Sql } from 'postgres'
import type { RetroQuery } from './retro-query.ts'

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
  const before = (at: number) =>
    some(sql`WHERE started_at < to_timestamp(${at}) ORDER BY started_at, id`, 0)
  const after = (at: number) =>
    some(sql`WHERE started_at >= to_timestamp(${at}) ORDER BY started_at DESC, id DESC`, afterMax)
  const [outside] = await sql<{ before: number; after: number }[]>`
    SELECT ${start === null ? sql`0` : before(start)} AS before,
      ${end === null ? sql`0` : after(end + 1)} AS after`
  if (outside === undefined) return query
  return {
    ...query,
    period: { start: outside.before === 0 ? null : start, end: outside.after === 0 ? null : end },
    isNearEnd: outside.after > 0 && outside.after <= afterMax,
  }
}
