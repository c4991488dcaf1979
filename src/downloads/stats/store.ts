import type { Sql } from 'postgres'
import { endsNow } from '../reports/active.ts'
import { allTime } from '../reports/range.ts'
import type { Scope } from '../reports/scope.ts'
import {
  clientRule,
  clientSums,
  prefillRule,
  serviceSums,
  sumColumns,
  trafficRows,
  type NamedSums,
} from '../reports/traffic.ts'

export { clientSums, serviceSums }

/** Sums over everything ever recorded; no row without traffic. */
export async function allTimeSums(
  sql: Sql,
  { includePrefill, without }: Pick<Scope, 'includePrefill' | 'without'>,
): Promise<NamedSums[]> {
  const scope = { period: allTime, eventId: null, includePrefill, without }
  return sql<NamedSums[]>`
    SELECT name, ${sumColumns(sql)}
    FROM (${trafficRows(sql, scope, { by: 'time' })}) AS rows GROUP BY name`
}

/** Number of clients with traffic in the scope. */
export async function countClients(sql: Sql, scope: Scope): Promise<number> {
  const [row] = await sql<{ clients: number }[]>`
    SELECT count(DISTINCT name)::float8 AS clients
    FROM (${trafficRows(sql, scope, { by: 'client' })}) AS rows`
  return row?.clients ?? 0
}

interface CountedActive extends Pick<Scope, 'includePrefill' | 'without'> {
  since: Date
}

/** Downloads whose last byte is newer than `since`. */
export async function countActive(
  sql: Sql,
  { since, includePrefill, without }: CountedActive,
): Promise<number> {
  const [row] = await sql<{ active: number }[]>`
    SELECT count(*)::float8 AS active FROM downloads
    WHERE ${endsNow(sql, sql`ended_at`, since.getTime() / 1000)}
      ${prefillRule(sql, includePrefill)} ${clientRule(sql, without)}`
  return row?.active ?? 0
}
