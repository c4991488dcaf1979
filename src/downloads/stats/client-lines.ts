import type { Sql } from 'postgres'
import type { DownloadsParts } from '../parts.ts'
import { shownSeconds, utc } from '../reports/numbers.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import { blockSeconds } from '../reports/range.ts'
import { coarsestFor, finestMinutes } from '../reports/series.ts'
import { trafficRows } from '../reports/traffic.ts'
import type { ClientLines } from './model.ts'

/** Clients with a line, those with the most bytes; as many as the list has. */
export const linesMax = 1000
/** Points of a line, one more where the range begins within a bucket. */
const pointsMax = 24
const hour = 3600
const day = 86_400

const steps = [blockSeconds, day, hour]

/** Width of a bucket in seconds: blocks of days, days, hours or five minutes, so that few rows are read. */
export function lineSeconds(span: number, finest = 300): number {
  const wanted = span / pointsMax
  const step = steps.find((seconds) => wanted > seconds) ?? finest
  return Math.max(step, Math.ceil(wanted / step) * step)
}

/** First and last traffic of a scope, Unix seconds; null without any. */
async function extentOf(sql: Sql, scope: Scope): Promise<{ first: number; last: number } | null> {
  const [row] = await sql<{ first: number | null; last: number | null }[]>`
    SELECT extract(epoch FROM min(first_at))::float8 AS first,
      extract(epoch FROM max(last_at))::float8 AS last
    FROM (${trafficRows(sql, scope, { by: 'time' })}) AS rows`
  if (row === undefined || row.first === null || row.last === null) return null
  return { first: shownSeconds(row.first), last: shownSeconds(row.last) }
}

interface Line {
  name: string
  places: number[]
  bytes: number[]
}

const rowsOf = (sql: Sql, scope: Scope, seconds: number) =>
  trafficRows(sql, scope, {
    by: 'client',
    ...(seconds % blockSeconds === 0 ? {} : { coarsest: coarsestFor(seconds / 60) }),
  })

/** Bytes by client and bucket; buckets are numbered from 1970. */
const linesOf = (sql: Sql, scope: Scope, seconds: number) => sql<Line[]>`
  WITH sums AS (
    SELECT name, floor(extract(epoch FROM bucket_at) / ${seconds}::float8)::float8 AS place,
      sum(hit_bytes + miss_bytes)::float8 AS bytes
    FROM (${rowsOf(sql, scope, seconds)}) AS rows
    GROUP BY 1, 2
  )
  SELECT name, to_json(array_agg(place)) AS places, to_json(array_agg(bytes)) AS bytes FROM sums
  GROUP BY name ORDER BY sum(bytes) DESC, name LIMIT ${linesMax}`

/** Bytes of each client over the range, for a small line beside its name: one query for all. */
export const clientLines =
  ({ clock }: Pick<DownloadsParts, 'clock'>, reports: Reports) =>
  async (asked: Scope): Promise<ClientLines> => {
    const scope = reports.shown(asked)
    const compute = async () => {
      const { start, end } = scope.period
      const isKnown = start !== null && asked.eventId === null
      const now = Math.floor(clock.now().getTime() / 1000)
      const extent = isKnown
        ? { first: start, last: end ?? now }
        : await reports.read((sql) => extentOf(sql, scope))
      if (extent === null) return { bucketMinutes: 5, startTimeUtc: null, lines: {} }
      const finest = finestMinutes(scope, extent.first) * 60
      const seconds = lineSeconds(extent.last - extent.first, finest)
      const [first, last] = [extent.first, extent.last].map((at) => Math.floor(at / seconds))
      const rows = await reports.read((sql) => linesOf(sql, scope, seconds))
      return linesFrom(rows, { first: first ?? 0, last: last ?? 0, seconds })
    }
    return reports.cached('client lines', scope, compute)
  }

function linesFrom(
  rows: readonly Line[],
  { first, last, seconds }: { first: number; last: number; seconds: number },
): ClientLines {
  const line = ({ places, bytes }: Line): number[] => {
    const points = Array.from({ length: last - first + 1 }, () => 0)
    for (const [index, place] of places.entries()) {
      const at = place - first
      if (at >= 0 && at < points.length) points[at] = bytes[index] ?? 0
    }
    return points
  }
  return {
    bucketMinutes: seconds / 60,
    startTimeUtc: utc(first * seconds),
    lines: Object.fromEntries(rows.map((row) => [row.name, line(row)])),
  }
}
