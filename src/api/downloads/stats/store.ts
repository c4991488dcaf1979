import type { Sql } from 'postgres'
import { allTime } from '../reports/range.ts'
import type { Scope } from '../reports/scope.ts'
import { clientSums, serviceSums, trafficRows } from '../reports/traffic.ts'

export { clientSums, serviceSums }

/** Sums over everything that was ever recorded. */
export const allTimeSums = (sql: Sql, includePrefill: boolean) =>
  serviceSums(sql, { period: allTime, eventId: null, includePrefill })

/** Different clients with traffic in the scope. */
export async function countClients(sql: Sql, scope: Scope): Promise<number> {
  const [row] = await sql<{ clients: number }[]>`
    SELECT count(DISTINCT name)::float8 AS clients
    FROM (${trafficRows(sql, scope, { by: 'client' })}) AS rows`
  return row?.clients ?? 0
}

/** Downloads whose last byte is newer than `since`. */
export async function countActive(
  sql: Sql,
  { since, includePrefill }: { since: Date; includePrefill: boolean },
): Promise<number> {
  const [row] = await sql<{ active: number }[]>`
    SELECT count(*)::float8 AS active FROM downloads
    WHERE ended_at > to_timestamp(${since.getTime() / 1000})
      ${includePrefill ? sql`` : sql`AND NOT is_prefill`}`
  return row?.active ?? 0
}
