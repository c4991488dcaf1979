import type { Fragment, Sql } from 'postgres'
import { pieces, type Grain, type Period, type Piece } from './range.ts'
import type { Scope } from './scope.ts'

/** Which tables hold the sums of each grain; the narrower the keys, the fewer rows are read. */
const tables = {
  service: { five: 'traffic', hour: 'service_hour', day: 'service_day' },
  quarterService: { five: 'traffic', hour: 'service_quarter', day: 'service_day' },
  client: { five: 'traffic', hour: 'traffic_hour', day: 'client_day' },
} as const

const columns = {
  service: 'service',
  quarterService: 'service',
  client: 'client',
} as const

export type RowSource = keyof typeof tables

/** `column` within [from, until), Unix seconds. */
function within(sql: Sql, column: string, { from, until }: Omit<Piece, 'grain'>): Fragment {
  const lower = from === null ? sql`` : sql`AND ${sql(column)} >= to_timestamp(${from})`
  const upper = until === null ? sql`` : sql`AND ${sql(column)} < to_timestamp(${until})`
  return sql`${lower} ${upper}`
}

/** `column` within the period, both ends included to the second. */
export const inPeriod = (sql: Sql, column: string, { start, end }: Period): Fragment =>
  within(sql, column, { from: start, until: end === null ? null : end + 1 })

export const prefillRule = (sql: Sql, includePrefill: boolean): Fragment =>
  includePrefill ? sql`` : sql`AND NOT is_prefill`

/** Downloads of one event in the form of traffic rows; all of their bytes count. */
function eventRows(sql: Sql, scope: Scope, column: string): Fragment {
  return sql`
    SELECT started_at AS bucket_at, ${sql(column)} AS name, hit_bytes, miss_bytes, requests,
      1::bigint AS downloads, started_at AS first_at, ended_at AS last_at
    FROM downloads
    WHERE id IN (
      SELECT download_id FROM event_downloads WHERE event_id = ${scope.eventId} AND NOT is_removed
    ) ${inPeriod(sql, 'started_at', scope.period)} ${prefillRule(sql, scope.includePrefill)}`
}

/**
 * The rows that make up a scope, named by service or client: `bucket_at, name, hit_bytes,
 * miss_bytes, requests, downloads, first_at, last_at`.
 */
export function trafficRows(
  sql: Sql,
  scope: Scope,
  source: { by: RowSource; coarsest?: Grain },
): Fragment {
  const { by, coarsest } = source
  if (scope.eventId !== null) return eventRows(sql, scope, columns[by])
  const parts = pieces(scope.period, coarsest).map(
    (piece) => sql`
      SELECT bucket_at, ${sql(columns[by])} AS name, hit_bytes, miss_bytes, requests, downloads,
        first_at, last_at
      FROM ${sql(tables[by][piece.grain])}
      WHERE true ${within(sql, 'bucket_at', piece)} ${prefillRule(sql, scope.includePrefill)}`,
  )
  return parts.reduce((all, part) => sql`${all} UNION ALL ${part}`)
}

/** Sums over a scope. Times are Unix seconds, fractions included. */
export interface Sums {
  hitBytes: number
  missBytes: number
  requests: number
  /** Downloads that began in the period. */
  downloads: number
  firstAt: number
  lastAt: number
}

/** The client library gives bigint and numeric as text; sums stay below 2^53, so float8 is exact. */
export const sumColumns = (sql: Sql): Fragment => sql`
  sum(hit_bytes)::float8 AS "hitBytes", sum(miss_bytes)::float8 AS "missBytes",
  sum(requests)::float8 AS requests, sum(downloads)::float8 AS downloads,
  extract(epoch FROM min(first_at))::float8 AS "firstAt",
  extract(epoch FROM max(last_at))::float8 AS "lastAt"`

export interface NamedSums extends Sums {
  name: string
}

/** One row per service, most bytes first. */
export async function serviceSums(sql: Sql, scope: Scope): Promise<NamedSums[]> {
  return sql<NamedSums[]>`
    SELECT name, ${sumColumns(sql)}
    FROM (${trafficRows(sql, scope, { by: 'service' })}) AS rows
    GROUP BY name ORDER BY sum(hit_bytes + miss_bytes) DESC, name`
}

/** One row per client, most bytes first, at most `limit`; `clients` counts all of them. */
export async function clientSums(
  sql: Sql,
  scope: Scope,
  limit: number,
): Promise<{ rows: NamedSums[]; clients: number }> {
  const rows = await sql<(NamedSums & { clients: number })[]>`
    SELECT name, ${sumColumns(sql)}, (count(*) OVER ())::float8 AS clients
    FROM (${trafficRows(sql, scope, { by: 'client' })}) AS rows
    GROUP BY name ORDER BY sum(hit_bytes + miss_bytes) DESC, name LIMIT ${limit}`
  return { rows, clients: rows[0]?.clients ?? 0 }
}
