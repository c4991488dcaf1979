import type { Sql } from 'postgres'
import {
  clientRule,
  gameIdColumn,
  gameServiceColumn,
  prefillRule,
  type Scope,
} from '../../downloads/contract.ts'

type CountedScope = Pick<Scope, 'includePrefill' | 'without'>

/** A download counts as active until this long after its last byte. */
const activeSeconds = 300
/** Ends a little in the future are skew between clocks; later ones come from a clock set back. */
const skewSeconds = 60
const throughputSeconds = 60
/** Events with figures, the newest. */
const eventsMax = 50

export interface ActiveGame {
  /** In the log. */
  logService: string
  /** Of the game, as in `GameGroupSums`. */
  service: string
  client: string
  gameId: string
  gameName: string | null
  appId: number | null
  downloads: number
  /** Bytes of downloads that ended in the last minute. */
  bytes: number
}

/** Active downloads by service, client and game. */
export const activeGames = async (
  sql: Sql,
  { includePrefill, without }: CountedScope,
  nowSeconds: number,
): Promise<ActiveGame[]> =>
  sql<ActiveGame[]>`
    SELECT rows.service AS "logService", ${gameServiceColumn(sql)} AS service, rows.client,
      ${gameIdColumn(sql)} AS "gameId",
      min(t.game_name) AS "gameName", min(t.game_app_id)::float8 AS "appId",
      count(*)::float8 AS downloads,
      coalesce(sum(rows.hit_bytes + rows.miss_bytes) FILTER (
        WHERE rows.ended_at > to_timestamp(${nowSeconds - throughputSeconds})), 0)::float8 AS bytes
    FROM (
      SELECT * FROM downloads
      WHERE ended_at > to_timestamp(${nowSeconds - activeSeconds})
        AND ended_at < to_timestamp(${nowSeconds + skewSeconds})
        ${prefillRule(sql, includePrefill)} ${clientRule(sql, without)}
    ) AS rows
    LEFT JOIN titles t ON t.title_key = rows.title_key
    GROUP BY 1, 2, 3, 4`

/** Bytes of the largest download; `endedAfter` restricts it to recent ones (Unix seconds). */
export async function largestDownload(
  sql: Sql,
  { includePrefill, without }: CountedScope,
  endedAfter: number | null,
): Promise<number> {
  const recent = endedAfter === null ? sql`` : sql`AND ended_at > to_timestamp(${endedAfter})`
  const [row] = await sql<{ bytes: number | null }[]>`
    SELECT max(hit_bytes + miss_bytes)::float8 AS bytes FROM downloads
    WHERE true ${recent} ${prefillRule(sql, includePrefill)} ${clientRule(sql, without)}`
  return row?.bytes ?? 0
}

export interface EventSums {
  id: number
  name: string
  hitBytes: number
  missBytes: number
  downloads: number
}

/** Sums of the newest events that have downloads. */
export const eventSums = async (
  sql: Sql,
  { includePrefill, without }: CountedScope,
): Promise<EventSums[]> =>
  sql<EventSums[]>`
    SELECT chosen.id::float8 AS id, chosen.name, sum(hit_bytes)::float8 AS "hitBytes",
      sum(miss_bytes)::float8 AS "missBytes", count(*)::float8 AS downloads
    FROM (
      SELECT id, name FROM events WHERE EXISTS (
        SELECT 1 FROM event_downloads WHERE event_id = events.id AND NOT is_removed
      ) ORDER BY end_at DESC, id DESC LIMIT ${eventsMax}
    ) AS chosen
    JOIN event_downloads tagged ON tagged.event_id = chosen.id AND NOT tagged.is_removed
    JOIN downloads ON downloads.id = tagged.download_id
    WHERE true ${prefillRule(sql, includePrefill)} ${clientRule(sql, without)}
    GROUP BY chosen.id, chosen.name`
