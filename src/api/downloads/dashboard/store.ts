import type { Sql } from 'postgres'
import type { Grain, Period } from '../reports/range.ts'
import type { Scope } from '../reports/scope.ts'
import { trafficRows } from '../reports/traffic.ts'
import type { HourSums } from './hourly.ts'
import type { CacheSnapshot } from './model.ts'
import type { SparkPoint } from './sparklines.ts'

/** First and last moment with traffic in the scope, Unix seconds; null without traffic. */
export async function extentOf(
  sql: Sql,
  scope: Scope,
): Promise<{ first: number; last: number } | null> {
  const [row] = await sql<{ first: number | null; last: number | null }[]>`
    SELECT extract(epoch FROM min(first_at))::float8 AS first,
      extract(epoch FROM max(last_at))::float8 AS last
    FROM (${trafficRows(sql, scope, { by: 'time' })}) AS rows`
  if (row === undefined || row.first === null || row.last === null) return null
  return { first: row.first, last: row.last }
}

/** Bytes per bucket of so many seconds, oldest first; buckets without traffic are missing. */
export async function bucketSums(
  sql: Sql,
  scope: Scope,
  { seconds, coarsest }: { seconds: number; coarsest: Grain },
): Promise<SparkPoint[]> {
  return sql<SparkPoint[]>`
    SELECT (floor(date_part('epoch', bucket_at) / ${seconds}) * ${seconds})::float8 AS at,
      sum(hit_bytes)::float8 AS "hitBytes", sum(miss_bytes)::float8 AS "missBytes"
    FROM (${trafficRows(sql, scope, { by: 'time', coarsest })}) AS rows
    GROUP BY 1 ORDER BY 1`
}

/** Sums per hour of the day in a time zone. Buckets are put together before they are converted. */
export async function hourOfDaySums(
  sql: Sql,
  scope: Scope,
  { timeZone, isWholeHours }: { timeZone: string; isWholeHours: boolean },
): Promise<HourSums[]> {
  const by = isWholeHours ? 'time' : 'quarter'
  return sql<HourSums[]>`
    SELECT extract(hour FROM bucket_at AT TIME ZONE ${timeZone})::float8 AS hour,
      sum(hit)::float8 AS "hitBytes", sum(miss)::float8 AS "missBytes",
      sum(began)::float8 AS downloads
    FROM (
      SELECT bucket_at, sum(hit_bytes) AS hit, sum(miss_bytes) AS miss, sum(downloads) AS began
      FROM (${trafficRows(sql, scope, { by, coarsest: 'hour' })}) AS rows GROUP BY bucket_at
    ) AS buckets
    GROUP BY 1`
}

export const noSnapshot: CacheSnapshot = {
  hasData: false,
  startUsedSize: 0,
  endUsedSize: 0,
  averageUsedSize: 0,
  totalCacheSize: 0,
  snapshotCount: 0,
  isEstimate: false,
}

/** Size of the cache over a closed period; from the last snapshot before it when it has none. */
export async function snapshotOf(sql: Sql, { start, end }: Period): Promise<CacheSnapshot> {
  if (start === null || end === null) return noSnapshot
  const [row] = await sql<Omit<CacheSnapshot, 'hasData' | 'isEstimate'>[]>`
    WITH inside AS (
      SELECT * FROM cache_snapshots
      WHERE taken_at >= to_timestamp(${start}) AND taken_at < to_timestamp(${end + 1})
    ), before AS (
      SELECT * FROM cache_snapshots WHERE taken_at < to_timestamp(${start})
      ORDER BY taken_at DESC LIMIT 1
    ), chosen AS (
      SELECT * FROM inside UNION ALL SELECT * FROM before WHERE NOT EXISTS (SELECT 1 FROM inside)
    )
    SELECT count(*)::float8 AS "snapshotCount", round(avg(used_bytes))::float8 AS "averageUsedSize",
      ((array_agg(used_bytes ORDER BY taken_at))[1])::float8 AS "startUsedSize",
      ((array_agg(used_bytes ORDER BY taken_at DESC))[1])::float8 AS "endUsedSize",
      ((array_agg(total_bytes ORDER BY taken_at DESC))[1])::float8 AS "totalCacheSize"
    FROM chosen`
  if (row === undefined || row.snapshotCount === 0) return noSnapshot
  return { hasData: true, ...row, isEstimate: row.snapshotCount < 2 }
}
