import type { Fragment, Sql } from 'postgres'
import { clientGroupRows, groupRows, type Focus } from '../reports/focus.ts'
import { epsilonServices } from '../reports/numbers.ts'
import type { Scope } from '../reports/scope.ts'
import { addedSums } from '../reports/traffic.ts'

/** Sums of downloads over all time. Times in Unix seconds. */
export interface GroupSums {
  hitBytes: number
  missBytes: number
  downloads: number
  evicted: number
  timedBytes: number
  speedWeight: number
  firstAt: number
  lastAt: number
}

const sums = (sql: Sql): Fragment => sql`
  sum(hit_bytes)::float8 AS "hitBytes", sum(miss_bytes)::float8 AS "missBytes",
  sum(downloads)::float8 AS downloads, sum(evicted)::float8 AS evicted,
  sum(timed_bytes)::float8 AS "timedBytes", sum(speed_weight)::float8 AS "speedWeight",
  extract(epoch FROM min(first_at))::float8 AS "firstAt",
  extract(epoch FROM max(last_at))::float8 AS "lastAt"`

export interface ClientGroupSums extends GroupSums {
  client: string
}

/** One row per client, most bytes first. */
export const sumsByClient = (sql: Sql, scope: Scope, focus: Focus): Promise<ClientGroupSums[]> =>
  sql<ClientGroupSums[]>`
    SELECT client, ${sums(sql)} FROM (${clientGroupRows(sql, scope, focus)}) AS rows
    GROUP BY client ORDER BY sum(hit_bytes + miss_bytes) DESC, client`

export interface TitleGroupSums extends GroupSums {
  titleKey: string
}

/** One row per title, most bytes first, at most `limit`. */
export const sumsByTitle = (
  sql: Sql,
  scope: Scope,
  { focus, limit }: { focus: Focus; limit: number },
): Promise<TitleGroupSums[]> =>
  sql<TitleGroupSums[]>`
    SELECT title_key AS "titleKey", ${sums(sql)} FROM (${groupRows(sql, scope, focus)}) AS rows
    GROUP BY title_key ORDER BY sum(hit_bytes + miss_bytes) DESC, title_key LIMIT ${limit}`

export interface GameGroupSums extends GroupSums {
  /** Folded. */
  service: string
  gameId: string
  gameName: string | null
  appId: number | null
  imageUrl: string | null
  /** Named games among all rows, those beyond the limit included. */
  named: number
}

/** A game's identifier as from `gameIdOf`, over columns of `titles` aliased `t`. */
export const gameIdColumn = (sql: Sql): Fragment => sql`
  CASE
    WHEN t.game_app_id IS NOT NULL AND t.game_app_id <> 0 THEN 'app-' || t.game_app_id
    WHEN t.beta_app_id IS NOT NULL THEN 'beta-' || t.beta_app_id
    WHEN t.game_name IS NOT NULL THEN 'name-' || lower(t.game_name)
    ELSE 'unknown'
  END`

/** Display name of the service that a game is of, over `rows` and `titles` aliased `t`. */
export const gameServiceColumn = (sql: Sql): Fragment => sql`
  CASE WHEN rows.service = ANY(${[...epsilonServices]}::text[])
    OR (t.platform = 'epsilon' AND t.game_name IS NOT NULL) THEN 'xbox' ELSE rows.service END`

/** One row per game, most bytes first, at most `limit`; unnamed ones share one row. */
export const sumsByGame = (
  sql: Sql,
  scope: Scope,
  { focus, limit }: { focus: Focus; limit: number },
): Promise<GameGroupSums[]> =>
  sql<GameGroupSums[]>`
    SELECT ${gameServiceColumn(sql)} AS service, ${gameIdColumn(sql)} AS "gameId",
      min(t.game_name) AS "gameName", min(t.game_app_id)::float8 AS "appId",
      min(t.image_url) AS "imageUrl",
      (count(*) FILTER (WHERE ${gameIdColumn(sql)} <> 'unknown') OVER ())::float8 AS named, ${sums(sql)}
    FROM (${groupRows(sql, scope, focus)}) AS rows
    LEFT JOIN titles t ON t.title_key = rows.title_key
    GROUP BY 1, 2 ORDER BY sum(hit_bytes + miss_bytes) DESC, 1, 2 LIMIT ${limit}`

/** Adds up rows; null for none. */
export const together = (rows: readonly GroupSums[]): GroupSums | null =>
  rows.length === 0 ? null : rows.reduce(addedSums)
