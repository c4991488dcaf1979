import type { Fragment, Sql } from 'postgres'
import { epsilonServices } from '../reports/numbers.ts'
import { clientRule, inPeriod, prefillRule } from '../reports/traffic.ts'
import type { RetroQuery, RetroSort } from './retro-query.ts'

/** Rows of games nobody could name. */
export const unknownName = 'Unknown/Other'
/** Newest titles of a row that its download ids are looked for in. */
const titlesMax = 1000
const localhosts = ['127.0.0.1', '::1']

/** Rules that a stored group can answer as well as a single download. */
const keyRules = (sql: Sql, query: RetroQuery): Fragment => sql`
  ${prefillRule(sql, query.includePrefill)} ${clientRule(sql, query.without)}
  ${query.services === null ? sql`` : sql`AND service = ANY(${query.services}::text[])`}
  ${query.client === null ? sql`` : sql`AND client = ${query.client}`}
  ${query.hideLocalhost ? sql`AND client <> ALL(${localhosts}::text[])` : sql``}`

/** Which downloads belong to the view at all. `endedBefore`: Unix seconds; later ones are active. */
export function memberRules(sql: Sql, query: RetroQuery, endedBefore: number): Fragment {
  const tagged =
    query.eventId === null
      ? sql``
      : sql`AND id IN (
          SELECT download_id FROM event_downloads
          WHERE event_id = ${query.eventId} AND NOT is_removed
        )`
  return sql`
    AND ended_at <= to_timestamp(${endedBefore})
    ${query.showZeroBytes ? sql`` : sql`AND hit_bytes + miss_bytes > 0`}
    ${inPeriod(sql, 'started_at', query.period)} ${keyRules(sql, query)} ${tagged}`
}

const mostlyHit = (sql: Sql) => sql`(hit_bytes >= miss_bytes AND hit_bytes > 0)`

/** Groups summed from downloads, in the form of `download_groups`. */
function summedGroups(
  sql: Sql,
  query: RetroQuery,
  rules: { endedBefore: number; only: Fragment; isSplit: boolean },
): Fragment {
  return sql`
    SELECT title_key, client, service, count(*) AS downloads,
      count(*) FILTER (WHERE ${mostlyHit(sql)}) AS mostly_hit,
      count(*) FILTER (WHERE is_evicted) AS evicted,
      sum(hit_bytes)::bigint AS hit_bytes, sum(miss_bytes)::bigint AS miss_bytes,
      coalesce(sum(hit_bytes + miss_bytes) FILTER (WHERE ended_at > started_at), 0)::bigint
        AS timed_bytes,
      coalesce(sum((hit_bytes + miss_bytes)::float8 * (hit_bytes + miss_bytes)
        / nullif(date_part('epoch', ended_at - started_at), 0)), 0) AS speed_weight,
      min(started_at) AS first_at, max(ended_at) AS last_at
    FROM downloads WHERE true ${memberRules(sql, query, rules.endedBefore)} ${rules.only}
    GROUP BY title_key, client, service ${rules.isSplit ? sql`, ${mostlyHit(sql)}` : sql``}`
}

/**
 * All groups (title, client, service) of the view. Without a time, an event or empty downloads they
 * are stored; only groups with an active member are summed again, without it. Merged rows that
 * are filtered by hit or miss need the two kinds apart, which stored groups do not have.
 */
function groups(sql: Sql, query: RetroQuery, endedBefore: number): Fragment {
  const isSplit = query.merge !== 'none' && query.hitMiss !== 'all'
  const { start, end } = query.period
  const isStored =
    start === null && end === null && query.eventId === null && !query.showZeroBytes && !isSplit
  if (!isStored) return summedGroups(sql, query, { endedBefore, only: sql``, isSplit })
  const active = sql`
    SELECT title_key, client FROM downloads WHERE ended_at > to_timestamp(${endedBefore})`
  return sql`
    SELECT title_key, client, service, downloads, mostly_hit, evicted, hit_bytes, miss_bytes,
      timed_bytes, speed_weight, first_at, last_at
    FROM download_groups
    WHERE (title_key, client) NOT IN (${active}) ${keyRules(sql, query)}
    UNION ALL
    (${summedGroups(sql, query, {
      endedBefore,
      only: sql`AND (title_key, client) IN (${active})`,
      isSplit,
    })})`
}

const hitRule = (sql: Sql, query: RetroQuery, isHit: Fragment): Fragment => {
  if (query.hitMiss === 'all') return sql``
  return query.hitMiss === 'hit' ? sql`AND (${isHit})` : sql`AND NOT (${isHit})`
}

/** Titles under other column names, so that a join leaves nothing ambiguous. */
const names = (sql: Sql): Fragment => sql`(
  SELECT title_key AS named_key, depot_id, game_app_id AS app_id, beta_app_id, game_name FROM titles
)`

const appName = (sql: Sql): Fragment => sql`
  CASE
    WHEN (depot_id IS NOT NULL OR service = 'steam')
      AND (game_name IS NULL OR lower(game_name) = 'steam') THEN ${unknownName}
    ELSE coalesce(game_name, service)
  END`

/** Common table expressions: `kept` (named groups that pass the search), `depots`, `loose`. */
export function commonTables(sql: Sql, query: RetroQuery, endedBefore: number): Fragment {
  const search =
    query.search === null
      ? sql``
      : sql`AND (position(${query.search} IN lower(app_name)) > 0
          OR position(${query.search} IN lower(service)) > 0
          OR position(${query.search} IN coalesce(depot_id::text, '')) > 0
          OR position(${query.search} IN lower(client)) > 0)`
  return sql`
    WITH named AS (
      SELECT base.*, depot_id, app_id, beta_app_id, game_name, ${appName(sql)} AS app_name,
        CASE WHEN service = ANY(${[...epsilonServices]}::text[]) THEN 'xbox' ELSE service END AS folded
      FROM (${groups(sql, query, endedBefore)}) AS base
      LEFT JOIN ${names(sql)} AS t ON named_key = title_key
    ), kept AS MATERIALIZED (
      SELECT * FROM named WHERE downloads > 0 ${search}
        ${query.hideUnknown ? sql`AND app_name <> ${unknownName}` : sql``}
    ), depots AS (
      SELECT depot_id, client, min(service) AS service, min(app_name) AS app_name,
        min(app_id) AS app_id, min(beta_app_id) AS beta_app_id, sum(downloads) AS downloads,
        sum(evicted) AS evicted, sum(hit_bytes) AS hit_bytes, sum(miss_bytes) AS miss_bytes,
        sum(timed_bytes) AS timed_bytes, sum(speed_weight) AS speed_weight,
        min(first_at) AS first_at, max(last_at) AS last_at,
        array_agg(title_key) AS title_keys
      FROM kept WHERE depot_id IS NOT NULL GROUP BY depot_id, client
      HAVING true ${hitRule(sql, query, sql`sum(hit_bytes) >= sum(miss_bytes) AND sum(hit_bytes) > 0`)}
    ), loose AS (SELECT * FROM kept WHERE depot_id IS NULL)`
}

/** How many single downloads pass the filter by hit and miss. */
export const looseCount = (sql: Sql, query: RetroQuery): Fragment =>
  ({
    all: sql`downloads`,
    hit: sql`mostly_hit`,
    miss: sql`downloads - mostly_hit`,
  })[query.hitMiss]

/** Single downloads without a depot; the columns are those of `depots`. */
export function singles(
  sql: Sql,
  query: RetroQuery,
  { endedBefore, limit }: { endedBefore: number; limit: number },
): Fragment {
  const found =
    query.search === null && !query.hideUnknown
      ? sql``
      : sql`AND (title_key, client, service) IN (SELECT title_key, client, service FROM loose)`
  return sql`
    SELECT id, service, client, ${appName(sql)} AS app_name, app_id, beta_app_id,
      1::bigint AS downloads, is_evicted::int::bigint AS evicted, hit_bytes, miss_bytes,
      CASE WHEN ended_at > started_at THEN hit_bytes + miss_bytes ELSE 0 END AS timed_bytes,
      coalesce((hit_bytes + miss_bytes)::float8 * (hit_bytes + miss_bytes)
        / nullif(date_part('epoch', ended_at - started_at), 0), 0) AS speed_weight,
      started_at AS first_at, ended_at AS last_at, title_key, datasource
    FROM downloads LEFT JOIN ${names(sql)} AS t ON named_key = title_key
    WHERE depot_id IS NULL ${memberRules(sql, query, endedBefore)} ${found}
      ${hitRule(sql, query, mostlyHit(sql))}
    ORDER BY ${singleOrder(sql, query.sort)} LIMIT ${limit}`
}

/** Written over the columns of `downloads`, so that their indexes serve it. */
function singleOrder(sql: Sql, sort: RetroSort): Fragment {
  const efficiency = sql`(hit_bytes::float8 / greatest(hit_bytes + miss_bytes, 1))`
  const first = {
    latest: sql``,
    oldest: sql`started_at,`,
    largest: sql`hit_bytes + miss_bytes DESC,`,
    smallest: sql`hit_bytes + miss_bytes,`,
    efficiency: sql`${efficiency} DESC,`,
    'efficiency-low': sql`${efficiency},`,
    sessions: sql``,
    alphabetical: sql`lower(${appName(sql)}),`,
    service: sql`service,`,
  }[sort]
  return sql`${first} ended_at DESC, id DESC`
}

/** The same order over rows of any kind, with a last word for what is equal in everything. */
export function rowOrder(sql: Sql, sort: RetroSort): Fragment {
  const efficiency = sql`(hit_bytes::float8 / greatest(hit_bytes + miss_bytes, 1)::float8)`
  const first = {
    latest: sql``,
    oldest: sql`first_at,`,
    largest: sql`hit_bytes + miss_bytes DESC,`,
    smallest: sql`hit_bytes + miss_bytes,`,
    efficiency: sql`${efficiency} DESC,`,
    'efficiency-low': sql`${efficiency},`,
    sessions: sql`downloads DESC,`,
    alphabetical: sql`lower(app_name),`,
    service: sql`service,`,
  }[sort]
  return sql`${first} last_at DESC, number DESC, key`
}

/** Rows of one game or one service put together, from `kept`. */
export function mergedRows(sql: Sql, query: RetroQuery): Fragment {
  const game = sql`folded || CASE
    WHEN app_id IS NOT NULL AND app_id <> 0 THEN '-app-' || app_id
    WHEN beta_app_id IS NOT NULL THEN '-beta-' || beta_app_id
    WHEN game_name IS NOT NULL THEN '-name-' || lower(game_name)
    ELSE '-unknown' END`
  const isService = query.merge === 'service'
  const isHit = sql`mostly_hit > 0`
  return sql`
    SELECT ${isService ? sql`folded` : game} AS key, 0::bigint AS number, folded AS service,
      ${isService ? sql`folded` : sql`min(app_name)`} AS app_name,
      ${isService ? sql`NULL::bigint` : sql`min(app_id)`} AS app_id,
      ${isService ? sql`NULL::text` : sql`min(beta_app_id)`} AS beta_app_id,
      ${isService ? sql`NULL::bigint` : sql`CASE WHEN min(depot_id) = max(depot_id) THEN min(depot_id) END`}
        AS depot_id,
      (array_agg(client ORDER BY last_at DESC, client))[1] AS client,
      sum(downloads) AS downloads, sum(evicted) AS evicted, sum(hit_bytes) AS hit_bytes,
      sum(miss_bytes) AS miss_bytes, sum(timed_bytes) AS timed_bytes,
      sum(speed_weight) AS speed_weight, min(first_at) AS first_at, max(last_at) AS last_at,
      array_agg(DISTINCT client) AS clients,
      array_agg(DISTINCT depot_id) FILTER (WHERE depot_id IS NOT NULL) AS depots,
      (array_agg(title_key ORDER BY last_at DESC))[1:${titlesMax}] AS title_keys, NULL::text AS datasource
    FROM kept
    WHERE CASE
      WHEN depot_id IS NOT NULL THEN (depot_id, client) IN (SELECT depot_id, client FROM depots)
      ELSE true ${hitRule(sql, query, isHit)} END
    GROUP BY folded, 1`
}
