import type { Sql } from 'postgres'
import { type Grain, type Scope, trafficRows } from '../downloads/contract.ts'
import type { HourSums } from './hourly.ts'
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

/** Bytes per bucket of this many seconds, oldest first; buckets without traffic are omitted. */
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

/** Sums per hour of the day in a time zone. Buckets are merged before conversion. */
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
      FROM (${trafficRows(sql, scope, { by, coarsest: 'hour', isSummed: true })}) AS rows
      GROUP BY bucket_at
    ) AS buckets
    GROUP BY 1`
}
