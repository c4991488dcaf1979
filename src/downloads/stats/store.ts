import type { Sql } from 'postgres'
import { endsNow } from '../reports/active.ts'
import type { Scope } from '../reports/scope.ts'
import {
  clientRule,
  clientSums,
  prefillRule,
  serviceSums,
  trafficRows,
} from '../reports/traffic.ts'

export { clientSums, serviceSums }

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
