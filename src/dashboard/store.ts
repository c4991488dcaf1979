import type { Fragment, Sql } from 'postgres'
import {
  clientRule,
  coarsestFor,
  grainSeconds,
  grainSpans,
  type HourOfDaySums,
  hourSums,
  prefillRule,
  type Scope,
  trafficRows,
  within,
} from '../downloads/contract.ts'
import type { SparkPoint } from './sparklines.ts'

/**
 * Width of the windows among which a bucket has its busiest: the finest rows that are few enough
 * for its range; quarters of an hour are summed over all clients only. An event's bytes all count at
 * a download's start, which says nothing about speed.
 */
export function peakMinutesOf(bucketMinutes: number, { eventId, without }: Scope): number {
  if (bucketMinutes <= 5 || eventId !== null) return bucketMinutes
  if (bucketMinutes <= 30) return 5
  return bucketMinutes <= 360 && without.length === 0 ? 15 : 60
}

interface Widths {
  bucketMinutes: number
  peakMinutes: number
}

/** Whole days of a scope of which the busiest hours are kept, for buckets of days. */
const peakDays = (scope: Scope, { bucketMinutes, peakMinutes }: Widths) =>
  bucketMinutes % 1440 === 0 &&
  peakMinutes === 60 &&
  !scope.includePrefill &&
  scope.without.length === 0 &&
  scope.eventId === null
    ? grainSpans(scope.period, 'day', scope.keptSince).filter(({ grain }) => grain === 'day')
    : []

const isFine = ({ bucketMinutes }: Widths) => bucketMinutes * 60 < grainSeconds.five

/**
 * Traffic in parts that are no wider than a window: `at, hit, miss`. Unless they are fine, `at` is a
 * timestamp, by which rows are grouped in a third of the time that seconds take.
 */
function windowParts(sql: Sql, scope: Scope, widths: Widths & { hasDays: boolean }): Fragment {
  const { bucketMinutes, peakMinutes, hasDays } = widths
  const seconds = bucketMinutes * 60
  const isQuarter = peakMinutes === 15
  const finest = isQuarter ? 'hour' : coarsestFor(peakMinutes)
  const rows = trafficRows(sql, scope, {
    by: isQuarter ? 'quarter' : 'time',
    coarsest: hasDays ? 'day' : finest,
    isSummed: peakMinutes === 60,
    isWithoutDays: hasDays,
  })
  if (!isFine(widths)) {
    const window = `${peakMinutes} minutes`
    return sql`SELECT date_bin(${window}::interval, bucket_at, '1970-01-01 00:00:00+00') AS at,
        hit_bytes AS hit, miss_bytes AS miss
      FROM (${rows}) AS rows`
  }
  const at = (column: Fragment) =>
    sql`(floor(date_part('epoch', ${column}) / ${seconds}) * ${seconds})::float8`
  return sql`
    SELECT part AS at, hit_bytes * portion AS hit, miss_bytes * portion AS miss
    FROM (
      SELECT hit_bytes, miss_bytes, date_part('epoch', first_at) AS first,
        date_part('epoch', last_at) AS last, ${at(sql`first_at`)} AS first_part,
        ${at(sql`last_at`)} AS last_part
      -- The planner would calculate these columns anew for each part.
      FROM (${rows}) AS rows OFFSET 0
    ) AS spans
    CROSS JOIN LATERAL generate_series(
      first_part::bigint, last_part::bigint, ${seconds}::bigint) AS part
    CROSS JOIN LATERAL (SELECT CASE WHEN last > first
      THEN (least(last, part + ${seconds}) - greatest(first, part)) / (last - first)
      ELSE 1 END AS portion) AS portions`
}

/** Drops hours in which only excluded clients had traffic: subtracted from everybody, they leave zeros. */
function othersRule(sql: Sql, scope: Scope, { peakMinutes }: Widths): Fragment {
  if (scope.without.length === 0 || scope.eventId !== null || peakMinutes !== 60) return sql``
  return sql`WHERE hit + miss <> 0 OR EXISTS (
    SELECT FROM client_hour
    WHERE bucket_at = to_timestamp(at) ${prefillRule(sql, scope.includePrefill)}
      ${clientRule(sql, scope.without)})`
}

/** Windows with their bytes, and whole days with those of their busiest hour: `at, hit, miss, busiest`. */
function windowRows(sql: Sql, scope: Scope, widths: Widths): Fragment {
  const days = peakDays(scope, widths)
  const spans = grainSpans(scope.period, 'day', scope.keptSince)
  const windows = () => sql`
    SELECT at, hit, miss, ARRAY[hit + miss, -at, hit, miss] AS busiest
    FROM (
      SELECT ${isFine(widths) ? sql`at` : sql`date_part('epoch', at) AS at`},
        sum(hit::float8) AS hit, sum(miss::float8) AS miss
      FROM (${windowParts(sql, scope, { ...widths, hasDays: days.length > 0 })}) AS parts
      GROUP BY parts.at
    ) AS windows ${othersRule(sql, scope, widths)}`
  const ofDays = days.map(
    (span) => sql`
      SELECT date_part('epoch', bucket_at) AS at, day.hit_bytes::float8 AS hit,
        day.miss_bytes::float8 AS miss, ARRAY[peak.hit_bytes + peak.miss_bytes,
          -date_part('epoch', hour_at), peak.hit_bytes, peak.miss_bytes] AS busiest
      FROM time_day AS day JOIN day_peak AS peak USING (bucket_at)
      WHERE NOT is_prefill ${within(sql, 'bucket_at', span)}`,
  )
  const isWhole = spans.length === days.length
  return [...(isWhole ? [] : [windows()]), ...ofDays].reduce(
    (all, one) => sql`${all} UNION ALL ${one}`,
  )
}

/**
 * Bytes per bucket and of its busiest window, oldest first; buckets without traffic are omitted.
 * Narrower ones than the rows get a row's bytes evenly from its first to its last request.
 */
export async function bucketSums(
  sql: Sql,
  scope: Scope,
  bucketMinutes: number,
): Promise<SparkPoint[]> {
  const seconds = bucketMinutes * 60
  const peakMinutes = peakMinutesOf(bucketMinutes, scope)
  // Portions are rounded on their way to the total, so that the buckets add up to it.
  const until = (column: Fragment) => sql`round(sum(${column}) OVER (ORDER BY at))`
  const points = await sql<SparkPoint[]>`
    SELECT at, (hit - coalesce(lag(hit) OVER (ORDER BY at), 0))::float8 AS "hitBytes",
      (miss - coalesce(lag(miss) OVER (ORDER BY at), 0))::float8 AS "missBytes",
      round(busiest[3]) AS "peakHitBytes", round(busiest[4]) AS "peakMissBytes"
    FROM (
      SELECT at, ${until(sql`hit`)} AS hit, ${until(sql`miss`)} AS miss, busiest
      FROM (
        SELECT (floor(at / ${seconds}) * ${seconds})::float8 AS at, sum(hit) AS hit,
          sum(miss) AS miss, max(busiest) AS busiest
        FROM (${windowRows(sql, scope, { bucketMinutes, peakMinutes })}) AS windows GROUP BY 1
      ) AS buckets
    ) AS sums ORDER BY at`
  if (peakMinutes < bucketMinutes) return points
  return points.map((point) => ({
    ...point,
    peakHitBytes: point.hitBytes,
    peakMissBytes: point.missBytes,
  }))
}

/** A time zone: whether its hours are those of UTC, and in which blocks its offset changes. */
export interface Zone {
  timeZone: string
  isWholeHours: boolean
  changedBlocks: readonly number[]
}

/** Sums per hour of the day in a time zone. Quarter hours, which are many, are merged before conversion. */
export async function hourOfDaySums(
  sql: Sql,
  scope: Scope,
  { timeZone, isWholeHours, changedBlocks }: Zone,
): Promise<HourOfDaySums[]> {
  const rows = trafficRows(sql, scope, {
    by: isWholeHours ? 'time' : 'quarter',
    coarsest: 'hour',
    changedBlocks,
  })
  const buckets = sql`
    SELECT bucket_at, sum(hit_bytes) AS hit_bytes, sum(miss_bytes) AS miss_bytes,
      sum(downloads) AS downloads
    FROM (${rows}) AS rows GROUP BY bucket_at`
  return hourSums(sql, isWholeHours ? rows : buckets, timeZone)
}
