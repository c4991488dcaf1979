import type { Sql } from 'postgres'
import type { Scope } from '../reports/scope.ts'
import { clientRule, prefillRule } from '../reports/traffic.ts'

/**
 * Downloads with bytes that overlap the period, Unix seconds. All their bytes count, including
 * those before it.
 */
export async function overlapping(
  sql: Sql,
  { start, end, scope }: { start: number; end: number; scope: Scope },
): Promise<{ totalBytes: number; totalSessions: number }> {
  const [row] = await sql<{ totalBytes: number; totalSessions: number }[]>`
    SELECT coalesce(sum(hit_bytes + miss_bytes), 0)::float8 AS "totalBytes",
      count(*)::float8 AS "totalSessions"
    FROM downloads
    WHERE ended_at >= to_timestamp(${start}) AND started_at <= to_timestamp(${end})
      AND hit_bytes + miss_bytes > 0 ${prefillRule(sql, scope.includePrefill)}
      ${clientRule(sql, scope.without)}`
  return row ?? { totalBytes: 0, totalSessions: 0 }
}
