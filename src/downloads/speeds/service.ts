import type { Sql } from 'postgres'
import type { DownloadsParts } from '../parts.ts'
import { utc } from '../reports/numbers.ts'
import type { Reports } from '../reports/reports.ts'
import { scopeOf, type Scope } from '../reports/scope.ts'
import { clientRule, prefillRule } from '../reports/traffic.ts'

const minutesMin = 5
const minutesMax = 1440
const minutesDefault = 60

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

/** Downloads of the last minutes; the number of minutes is clamped. */
export async function speedHistory(
  { clock }: Pick<DownloadsParts, 'clock'>,
  reports: Reports,
  query: { minutes?: number | undefined; includePrefill?: boolean | undefined },
) {
  const asked = query.minutes ?? minutesDefault
  const periodMinutes = Math.min(minutesMax, Math.max(minutesMin, asked))
  const end = clock.now().getTime() / 1000
  const start = end - periodMinutes * 60
  const scope = reports.counted(scopeOf({ includePrefill: query.includePrefill }))
  const { totalBytes, totalSessions } = await reports.cached(`speeds ${periodMinutes}`, scope, () =>
    reports.read((sql) => overlapping(sql, { start, end, scope })),
  )
  return {
    periodStartUtc: utc(start),
    periodEndUtc: utc(end),
    periodMinutes,
    totalBytes,
    averageBytesPerSecond: totalBytes / (periodMinutes * 60),
    totalSessions,
  }
}
