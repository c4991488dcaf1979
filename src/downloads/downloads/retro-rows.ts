import type { Fragment, Sql } from 'postgres'
import { appName, measures, names } from './retro-groups.ts'
import { rowOrder } from './retro-order.ts'
import type { RetroQuery } from './retro-query.ts'
import { hitRule } from './retro-rules.ts'

/** Newest titles of a row searched for its download ids and clients. */
export const titlesMax = 1000

/**
 * Tables of depots and single downloads as one list: `page`, its rows. Which they are is decided by
 * what the order needs, so that only rows of the page are fetched. Their ids are an array, because
 * the planner cannot know how few they are and would look up each name separately.
 */
export const plainPage = (
  sql: Sql,
  query: RetroQuery,
  { singles, offset }: { singles: Fragment; offset: number },
): Fragment => sql`
  keyed AS (
    SELECT 'depot-' || depot_id || '-' || client AS key, depots.* FROM depots
  ), chosen AS (
    SELECT key, number FROM (
      SELECT key, 0::bigint AS number, service, app_name, downloads, hit_bytes, miss_bytes,
        first_at, last_at
      FROM keyed
      UNION ALL
      SELECT NULL, id, service, name, 1, hit_bytes, miss_bytes, started_at, ended_at
      FROM (${singles}) AS singles
    ) AS all_rows
    ORDER BY ${rowOrder(sql, query.sort)} LIMIT ${query.pageSize} OFFSET ${offset}
  ), page AS (
    SELECT key, 0::bigint AS number, service, app_name, app_id, beta_app_id, depot_id, client,
      downloads, evicted, hit_bytes, miss_bytes, timed_bytes, speed_weight, first_at, last_at,
      ARRAY[client] AS clients, ARRAY[depot_id] AS depots, title_keys, ARRAY[service] AS services,
      NULL::text AS datasource
    FROM keyed WHERE key IN (SELECT key FROM chosen WHERE number = 0)
    UNION ALL
    SELECT 'no-depot-' || service || '-' || client || '-' || id, id, service, ${appName(sql)},
      app_id, beta_app_id, NULL, client, ${measures(sql)}, started_at, ended_at, ARRAY[client],
      NULL, ARRAY[title_key], ARRAY[service], datasource
    FROM unnest(ARRAY(SELECT number FROM chosen WHERE number > 0)) AS wanted(id)
    JOIN downloads USING (id) LEFT JOIN ${names(sql)} AS t ON named_key = title_key
  )`

/** The same of rows merged by game or service. */
export const mergedPage = (sql: Sql, query: RetroQuery): Fragment => sql`
  rows AS (${mergedRows(sql, query)}), page AS (
    SELECT * FROM rows ORDER BY ${rowOrder(sql, query.sort)}
    LIMIT ${query.pageSize} OFFSET ${(query.page - 1) * query.pageSize}
  )`

/** The service that a game is of, whatever its hosts. */
export const gameServiceColumn = (sql: Sql): Fragment =>
  sql`CASE WHEN is_xbox THEN 'xbox' ELSE folded END`

/** A game's row id: its service and identifier. */
export const gameKeyColumn = (sql: Sql): Fragment => sql`${gameServiceColumn(sql)} || CASE
    WHEN app_id IS NOT NULL AND app_id <> 0 THEN '-app-' || app_id
    WHEN beta_app_id IS NOT NULL THEN '-beta-' || beta_app_id
    WHEN game_name IS NOT NULL THEN '-name-' || lower(game_name)
    ELSE '-unknown' END`

/** Groups of `kept` that match the hit and miss filter. */
export const keptRule = (sql: Sql, query: RetroQuery): Fragment =>
  query.hitMiss === 'all'
    ? sql``
    : sql`WHERE CASE
          WHEN depot_id IS NOT NULL THEN (depot_id, client) IN (SELECT depot_id, client FROM depots)
          ELSE true ${hitRule(sql, query, sql`mostly_hit > 0`)} END`

/** Rows merged by game or service, from `kept`. */
export function mergedRows(sql: Sql, query: RetroQuery): Fragment {
  // Unnamed rows are called like their service, even if that has several names in the log.
  const service = query.merge === 'service' ? sql`folded` : gameServiceColumn(sql)
  const named = sql`
    CASE WHEN min(app_name) = min(kept.service) THEN ${service} ELSE min(app_name) END`
  const facts =
    query.merge === 'service'
      ? sql`folded AS key, 0::bigint AS number, folded AS service, folded AS app_name,
          NULL::bigint AS app_id, NULL::text AS beta_app_id, NULL::bigint AS depot_id`
      : sql`${gameKeyColumn(sql)} AS key, 0::bigint AS number, ${service} AS service,
          ${named} AS app_name,
          min(app_id) AS app_id, min(beta_app_id) AS beta_app_id,
          CASE WHEN min(depot_id) = max(depot_id) THEN min(depot_id) END AS depot_id`
  return sql`
    SELECT ${facts}, (array_agg(client ORDER BY last_at DESC, client))[1] AS client,
      sum(downloads) AS downloads, sum(evicted) AS evicted, sum(hit_bytes) AS hit_bytes,
      sum(miss_bytes) AS miss_bytes, sum(timed_bytes) AS timed_bytes,
      sum(speed_weight) AS speed_weight, min(first_at) AS first_at, max(last_at) AS last_at,
      array_agg(DISTINCT client) AS clients,
      array_agg(DISTINCT depot_id) FILTER (WHERE depot_id IS NOT NULL) AS depots,
      (array_agg(title_key ORDER BY last_at DESC))[1:${titlesMax}] AS title_keys,
      array_agg(DISTINCT kept.service) AS services, NULL::text AS datasource
    FROM kept ${keptRule(sql, query)}
    GROUP BY 1, 3`
}
