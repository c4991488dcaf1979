import type { Sql } from 'postgres'
import type { History } from '../../db/history/history.ts'
import { freshHistory, openTestClient } from './postgres.ts'
import { seededDatabase, type SeedDownload } from './seed-history.ts'

/** A download in the tests' own counts. Times in Unix seconds. */
export interface PlainDownload extends SeedDownload {
  depotId: number | null
  gameName: string | null
  appId: number | null
}

/** The last instant of the seeded year. */
export const seededUntil = '2026-11-21T12:00:00.000Z'

const at = (text: string) => Date.parse(text) / 1000
/** Names, starts and ends of periods in that year, in Unix seconds. */
export const seededPeriods: [string, number, number][] = [
  ['ten minutes', at('2026-11-20T20:03:00Z'), at('2026-11-20T20:13:00Z')],
  ['an evening', at('2026-11-20T17:42:11Z'), at('2026-11-20T23:05:00Z')],
  ['a month', at('2026-02-03T11:11:11Z'), at('2026-03-05T10:10:10Z')],
  ['the year', at(seededUntil) - 365 * 86_400, at(seededUntil)],
]

/**
 * A seeded history and all of its downloads in memory, to compare reports with. `change` modifies
 * the history before they are read.
 */
export async function seededReport(downloads: number, change?: (client: Sql) => Promise<unknown>) {
  const history: History = await freshHistory(seededDatabase({ downloads }))
  const client = openTestClient(history.connection())
  await change?.(client)
  const all = await client<PlainDownload[]>`
    SELECT d.id::float8 AS id, d.service, d.client, d.title_key AS "titleKey",
      d.is_prefill AS "isPrefill", extract(epoch FROM started_at)::float8 AS "startedAt",
      extract(epoch FROM ended_at)::float8 AS "endedAt", hit_bytes::float8 AS "hitBytes",
      miss_bytes::float8 AS "missBytes", requests::float8 AS requests,
      t.depot_id::float8 AS "depotId", t.game_name AS "gameName", t.game_app_id::float8 AS "appId"
    FROM downloads d LEFT JOIN titles t ON t.title_key = d.title_key ORDER BY d.id`
  return { history, client, all: [...all] }
}

/**
 * Downloads whose bytes count in the period: seeded ones have all of them in their first bucket,
 * which the period touches, while they were on.
 */
export const inBuckets = (rows: PlainDownload[], start: number, end: number) => {
  const bucket = (seconds: number) => Math.floor(seconds / 300)
  return rows.filter(
    ({ startedAt, endedAt }) =>
      bucket(startedAt) >= bucket(start) && startedAt <= end && endedAt >= start,
  )
}

/** Downloads that began in the period. */
export const begun = (rows: PlainDownload[], start: number, end: number) =>
  rows.filter(({ startedAt }) => startedAt >= start && startedAt <= end)

export const sum = (rows: PlainDownload[], key: 'hitBytes' | 'missBytes' | 'requests') =>
  rows.reduce((total, row) => total + row[key], 0)

export const bytes = (rows: PlainDownload[]) => sum(rows, 'hitBytes') + sum(rows, 'missBytes')

export function grouped(
  rows: PlainDownload[],
  key: (row: PlainDownload) => string,
): Map<string, PlainDownload[]> {
  const groups = new Map<string, PlainDownload[]>()
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row])
  return groups
}
