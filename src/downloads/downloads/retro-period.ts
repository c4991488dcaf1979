import type { Fragment, Sql } from 'postgres'
import type { RetroQuery } from './retro-query.ts'

/** Downloads after a period up to which it is read without an end, less those. */
const afterMax = 300

/**
 * The query without the ends of its period that leave out nothing: rows need not be looked at for
 * them, and sums of all time can be used.
 */
export async function withNearEnds(sql: Sql, query: RetroQuery): Promise<RetroQuery> {
  const { start, end } = query.period
  if (query.eventId !== null || (start === null && end === null)) return query
  // In the order of the index: the planner would rather read the table until it finds enough.
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
