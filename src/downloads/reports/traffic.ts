import { otherService } from '../../engines/logs/lines/service-label.ts'
import type { Fragment, Sql } from 'postgres'
import { added } from '../../core/lib/added.ts'
import {
  edges,
  grainSeconds,
  grainSpans,
  hourBlockSeconds,
  split,
  sumSpans,
  type Bounds,
  type Grain,
  type GrainSpan,
  type Period,
  type SumGrain,
} from './range.ts'
import { hasHoursOnly, type Scope } from './scope.ts'

/** Tables with the sums of each grain; the fewer key columns, the fewer rows to read. */
export const tables = {
  service: { five: 'traffic', hour: 'service_hour', day: 'service_day', block: 'service_block' },
  serviceOfClients: {
    five: 'traffic',
    hour: 'traffic_hour',
    day: 'client_service_day',
    block: 'client_service_block',
  },
  client: { five: 'traffic', hour: 'client_hour', day: 'client_day', block: 'client_block' },
  /** Sums over time for all clients and services. */
  time: { five: 'traffic', hour: 'time_hour', day: 'time_day', block: 'service_block' },
  /** The same, usable for zones with half-hour offsets. */
  quarter: { five: 'traffic', hour: 'service_quarter', day: 'time_day', block: 'service_block' },
  quarterOfClients: { five: 'traffic', hour: 'traffic', day: 'client_day', block: 'client_block' },
  title: { five: 'traffic', hour: 'traffic_hour', day: 'title_day', block: null },
  titleOfClients: { five: 'traffic', hour: 'traffic_hour', day: 'traffic_day', block: null },
} as const
type SumTables = (typeof tables)[keyof typeof tables]

/** Those with a client column, for when clients are excluded. */
const ofClients = {
  service: 'serviceOfClients',
  client: 'client',
  time: 'client',
  quarter: 'quarterOfClients',
} as const
export type RowSource = keyof typeof ofClients

/** Of time that has no five-minute rows any more, quarter hours without some clients are hours. */
function tablesOf(by: RowSource, scope: Scope): SumTables {
  if (scope.without.length === 0) return tables[by]
  const isOld = hasHoursOnly(scope, scope.period.start ?? 0)
  return tables[ofClients[by === 'quarter' && isOld ? 'client' : by]]
}

/** `column` within [from, until), Unix seconds. */
export function within(sql: Sql, column: string, { from, until }: Bounds): Fragment {
  const lower = from === null ? sql`` : sql`AND ${sql(column)} >= to_timestamp(${from})`
  const upper = until === null ? sql`` : sql`AND ${sql(column)} < to_timestamp(${until})`
  return sql`${lower} ${upper}`
}

/** `column` within the period, both ends inclusive to the second. */
export const inPeriod = (sql: Sql, column: string, { start, end }: Period): Fragment =>
  within(sql, column, { from: start, until: end === null ? null : end + 1 })

export const prefillRule = (sql: Sql, includePrefill: boolean): Fragment =>
  includePrefill ? sql`` : sql`AND NOT is_prefill`

/** Excludes clients. */
export const clientRule = (sql: Sql, without: readonly string[]): Fragment =>
  without.length === 0 ? sql`` : sql`AND client <> ALL(${[...without]}::text[])`

/**
 * Downloads with an event's tag. As an array, so that they are looked up one by one: a join in id
 * order scanned all downloads to reach an old one tagged by hand.
 */
export const taggedRule = (sql: Sql, eventId: number | null): Fragment =>
  eventId === null
    ? sql``
    : sql`AND id = ANY(ARRAY(
        SELECT download_id FROM event_downloads WHERE event_id = ${eventId} AND NOT is_removed
      ))`

interface RowOptions {
  by: RowSource
  /** Absent: the rows will only be summed, whatever their width. */
  coarsest?: Grain
  /** The rows will only be summed, so excluded clients may be subtracted as separate rows. */
  isSummed?: boolean
  /**
   * The rows will only be summed by hour of the day, in a time zone whose offset changes in these blocks
   * of 8 days, given by their start. Implies `isSummed`.
   */
  changedBlocks?: readonly number[] | undefined
  /** Omits whole days. */
  isWithoutDays?: boolean
}

/**
 * Which rows of a span belong to a period. A bucket at an edge may hold traffic that ended before
 * or began after: it counts with all its bytes or, when it was over or yet to come, not at all.
 */
function inGrainSpan(sql: Sql, span: GrainSpan<SumGrain>, { start, end }: Period): Fragment {
  const inside = within(sql, 'bucket_at', span)
  if (span.grain !== 'five') return inside
  const after = start === null ? sql`` : sql`AND last_at >= to_timestamp(${start})`
  const before = end === null ? sql`` : sql`AND first_at < to_timestamp(${end + 1})`
  return sql`${inside} ${after} ${before}`
}

/** Downloads that began in a row's bucket; those of the edges are counted one by one. */
function begunInBucket(sql: Sql, { grain }: GrainSpan<SumGrain>, period: Period): Fragment {
  if (grain !== 'five' || edges(period).length === 0) return sql`downloads`
  const [from, until] = [
    period.start,
    period.end === null ? null : period.end + 2 - grainSeconds.five,
  ]
  return sql`CASE WHEN true ${within(sql, 'bucket_at', { from, until })}
    THEN downloads ELSE 0 END AS downloads`
}

/** Downloads that began in the edges of a period, as rows of this form without bytes. */
const begunInEdges = (sql: Sql, period: Period, { columns, rules }: EdgeRows): Fragment[] =>
  edges(period).map(
    (edge) => sql`
      SELECT ${columns} FROM (
        SELECT started_at AS bucket_at, service, client, title_key, is_prefill,
          0::bigint AS hit_bytes, 0::bigint AS miss_bytes, 0::bigint AS requests,
          1::bigint AS downloads, started_at AS first_at, started_at AS last_at
        FROM downloads WHERE true ${within(sql, 'started_at', edge)}
      ) AS begun WHERE true ${rules}`,
  )

interface EdgeRows {
  columns: Fragment
  rules: Fragment
}

const timeRows = (sql: Sql, table: string, conditions: Fragment): Fragment => sql`
  SELECT bucket_at, '' AS name, hit_bytes, miss_bytes, requests, downloads, first_at, last_at
  FROM ${sql(table)} WHERE true ${conditions}`

/** Hours of clients that are left out, as negative rows. */
const lessClients = (sql: Sql, scope: Scope, span: Bounds): Fragment => sql`
  SELECT bucket_at, '' AS name, -hit_bytes AS hit_bytes, -miss_bytes AS miss_bytes,
    -requests AS requests, -downloads AS downloads, first_at, last_at
  FROM client_hour
  WHERE client = ANY(${[...scope.without]}::text[]) ${within(sql, 'bucket_at', span)}
    ${prefillRule(sql, scope.includePrefill)}`

/** Rows of hours that add up to those of a span, by time or only by hour of the day. */
function hourParts(
  sql: Sql,
  scope: Scope,
  { span, changedBlocks }: { span: Bounds; changedBlocks: readonly number[] | undefined },
): Fragment[] {
  const rule = prefillRule(sql, scope.includePrefill)
  const ladder = changedBlocks === undefined ? [null] : [hourBlockSeconds, null]
  const everybody = split(span, ladder).flatMap(({ seconds, ...part }) => {
    const inside = sql`${within(sql, 'bucket_at', part)} ${rule}`
    if (seconds === null || changedBlocks === undefined) return timeRows(sql, 'time_hour', inside)
    const { from, until } = part
    const changed = changedBlocks.filter(
      (at) => at >= (from ?? at) && (until === null || at < until),
    )
    if (changed.length === 0) return timeRows(sql, 'hour_block', inside)
    const starts = sql`ARRAY(SELECT to_timestamp(unnest(${changed}::float8[])))`
    const block = sql`date_bin('8 days', bucket_at, '1970-01-01 00:00:00+00')`
    const hours = sql`
      time_hour JOIN unnest(${starts}) AS changed(start_at)
        ON bucket_at >= start_at AND bucket_at < start_at + interval '192 hours'`
    return [
      timeRows(sql, 'hour_block', sql`${inside} AND ${block} <> ALL(${starts})`),
      sql`
        SELECT bucket_at, '' AS name, hit_bytes, miss_bytes, requests, downloads, first_at, last_at
        FROM ${hours} WHERE true ${rule}`,
    ]
  })
  return scope.without.length === 0 ? everybody : [...everybody, lessClients(sql, scope, span)]
}

interface SumRows {
  from: SumTables
  /** What rows are named by. */
  name?: Fragment
  rules: Fragment
  /** Absent: the rows will only be summed, whatever their width. */
  coarsest?: Grain | undefined
  /** Rows of a span in place of those of its table; null: its own. */
  instead: (span: GrainSpan<SumGrain>) => Fragment[] | null
}

/** Rows of a scope: `bucket_at, name, hit_bytes, miss_bytes, requests, downloads, first_at, last_at`. */
export function sumRows(
  sql: Sql,
  { period, eventId, keptSince }: Scope,
  { from, name = sql`''`, rules, coarsest, instead }: SumRows,
): Fragment {
  if (eventId !== null) {
    // One event's downloads; all of their bytes count.
    return sql`
      SELECT started_at AS bucket_at, ${name} AS name, hit_bytes, miss_bytes, requests,
        1::bigint AS downloads, started_at AS first_at, ended_at AS last_at
      FROM downloads
      WHERE true ${taggedRule(sql, eventId)} ${inPeriod(sql, 'started_at', period)} ${rules}`
  }
  const shape = (downloads: Fragment) => sql`
    bucket_at, ${name} AS name, hit_bytes, miss_bytes, requests, ${downloads}, first_at, last_at`
  const spans: GrainSpan<SumGrain>[] =
    coarsest === undefined && from.block !== null
      ? sumSpans(period, keptSince)
      : grainSpans(period, coarsest, keptSince)
  const parts = spans.flatMap(
    (span) =>
      instead(span) ??
      sql`
      SELECT ${shape(begunInBucket(sql, span, period))} FROM ${sql(from[span.grain] ?? from.day)}
      WHERE true ${inGrainSpan(sql, span, period)} ${rules}`,
  )
  const begun = begunInEdges(sql, period, { columns: shape(sql`downloads`), rules })
  return [...parts, ...begun].reduce((all, part) => sql`${all} UNION ALL ${part}`)
}

/** The rows of a scope, named by service, client or nothing. */
export function trafficRows(sql: Sql, scope: Scope, options: RowOptions): Fragment {
  const { by, coarsest, isSummed = false, changedBlocks, isWithoutDays = false } = options
  const isByHour =
    by === 'time' && (changedBlocks !== undefined || (isSummed && scope.without.length > 0))
  return sumRows(sql, scope, {
    from: tablesOf(by, scope),
    // Sums over time need none.
    ...((by === 'service' || by === 'client') && { name: sql`${sql(by)}` }),
    rules: sql`${prefillRule(sql, scope.includePrefill)} ${clientRule(sql, scope.without)}`,
    coarsest,
    instead(span) {
      if (isWithoutDays && span.grain === 'day') return []
      return isByHour && span.grain === 'hour'
        ? hourParts(sql, scope, { span, changedBlocks })
        : null
    },
  })
}

/** Sums over a scope. Times are Unix seconds with fractions. */
export interface Sums {
  hitBytes: number
  missBytes: number
  requests: number
  /** Downloads that began in the period. */
  downloads: number
  firstAt: number
  lastAt: number
}

/** The sums of both, from the earlier beginning to the later end. */
export const addedSums = <Of extends Pick<Sums, 'firstAt' | 'lastAt'>>(one: Of, other: Of): Of => ({
  ...added(one, other),
  firstAt: Math.min(one.firstAt, other.firstAt),
  lastAt: Math.max(one.lastAt, other.lastAt),
})

/** The driver returns bigint and numeric as text; sums stay below 2^53, so float8 is exact. */
export const sumColumns = (sql: Sql): Fragment => sql`
  sum(hit_bytes)::float8 AS "hitBytes", sum(miss_bytes)::float8 AS "missBytes",
  sum(requests)::float8 AS requests, sum(downloads)::float8 AS downloads,
  extract(epoch FROM min(first_at))::float8 AS "firstAt",
  extract(epoch FROM max(last_at))::float8 AS "lastAt"`

export interface HourOfDaySums {
  hour: number
  hitBytes: number
  missBytes: number
  downloads: number
}

/** Sums of such rows per hour of the day in a time zone. */
export const hourSums = (
  sql: Sql,
  rows: Fragment,
  timeZone: string,
): Promise<HourOfDaySums[]> => sql<HourOfDaySums[]>`
  SELECT date_part('hour', bucket_at AT TIME ZONE ${timeZone}) AS hour,
    sum(hit_bytes::float8) AS "hitBytes", sum(miss_bytes::float8) AS "missBytes",
    sum(downloads::float8) AS downloads
  FROM (${rows}) AS rows GROUP BY 1`

export interface NamedSums extends Sums {
  name: string
}

/** Services per answer; a service is a Host header, and forged ones are unlimited. */
export const servicesMax = 100

/**
 * One row per service, most bytes first; those after the first hundred are merged into one row,
 * with those that the log engine merged.
 */
export async function serviceSums(sql: Sql, scope: Scope): Promise<NamedSums[]> {
  return sql<NamedSums[]>`
    WITH services AS (
      SELECT name, sum(hit_bytes) AS hit_bytes, sum(miss_bytes) AS miss_bytes,
        sum(requests) AS requests, sum(downloads) AS downloads, min(first_at) AS first_at,
        max(last_at) AS last_at
      FROM (${trafficRows(sql, scope, { by: 'service' })}) AS rows GROUP BY name
    ), placed AS (
      SELECT *, row_number() OVER (ORDER BY hit_bytes + miss_bytes DESC, name) AS place
      FROM services
    )
    SELECT CASE WHEN place <= ${servicesMax} THEN name ELSE ${otherService} END AS name,
      ${sumColumns(sql)}
    FROM placed GROUP BY 1 ORDER BY sum(hit_bytes + miss_bytes) DESC, 1`
}

/** Clients shown as one row: their addresses, under a key that is not an address. */
export interface ClientRow {
  key: string
  ips: readonly string[]
}

export interface ClientSums extends NamedSums {
  /** Addresses with traffic in this row. */
  members: string[]
  /** Number of rows without the limit. */
  clients: number
}

/** Sums per client, merged by row; any other client is its own row. */
function mergedClients(sql: Sql, clients: Fragment, merged: readonly ClientRow[]): Fragment {
  const ips = merged.flatMap((row) => row.ips)
  const keys = merged.flatMap(({ key, ips: own }) => own.map(() => key))
  return sql`
    SELECT coalesce(merged.key, name) AS name, array_agg(name ORDER BY name) AS members,
      sum(hit) AS hit, sum(miss) AS miss, sum(requests) AS requests,
      sum(downloads) AS downloads, min(first_at) AS first_at, max(last_at) AS last_at
    FROM (${clients}) AS clients
    LEFT JOIN unnest(${ips}::text[], ${keys}::text[]) AS merged(ip, key) ON merged.ip = name
    GROUP BY 1`
}

/**
 * One row per client, or per group of clients, most bytes first, at most `limit`.
 */
export async function clientSums(
  sql: Sql,
  scope: Scope,
  { limit, merged }: { limit: number; merged: readonly ClientRow[] },
): Promise<ClientSums[]> {
  const clients = sql`
    SELECT name, ARRAY[name] AS members, sum(hit_bytes) AS hit, sum(miss_bytes) AS miss,
      sum(requests) AS requests, sum(downloads) AS downloads, min(first_at) AS first_at,
      max(last_at) AS last_at
    FROM (${trafficRows(sql, scope, { by: 'client' })}) AS rows GROUP BY name`
  const all = merged.length === 0 ? clients : mergedClients(sql, clients, merged)
  return sql<ClientSums[]>`
    SELECT name, to_json(members) AS members, hit::float8 AS "hitBytes", miss::float8 AS "missBytes",
      requests::float8 AS requests, downloads::float8 AS downloads,
      extract(epoch FROM first_at)::float8 AS "firstAt",
      extract(epoch FROM last_at)::float8 AS "lastAt", (count(*) OVER ())::float8 AS clients
    FROM (${all}) AS totals ORDER BY hit + miss DESC, name LIMIT ${limit}`
}
