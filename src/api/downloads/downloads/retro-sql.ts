import type { Fragment, Sql } from 'postgres'
import { hitRule } from './retro-rules.ts'
import type { RetroQuery, RetroSort } from './retro-query.ts'

/** Newest titles of a row that its download ids are looked for in. */
const titlesMax = 1000

/** One word of an order: what, and which way round. */
type Direction = 'ASC' | 'DESC'
interface Ordering {
  by: Fragment
  direction: Direction
}

const flipped = { ASC: 'DESC', DESC: 'ASC' } as const

/** The columns that orders are made of, which differ between downloads and rows. */
interface OrderColumns {
  startedAt: Fragment
  endedAt: Fragment
  downloads: Fragment | null
  name: Fragment | null
  service: Fragment | null
}

function firstOrdering(sql: Sql, sort: RetroSort, columns: OrderColumns): Ordering[] {
  const size = sql`(hit_bytes + miss_bytes)`
  const efficiency = sql`(hit_bytes::float8 / greatest(hit_bytes + miss_bytes, 1))`
  const one = (by: Fragment | null, direction: Direction) =>
    by === null ? [] : [{ by, direction }]
  return {
    latest: [],
    oldest: one(columns.startedAt, 'ASC'),
    largest: one(size, 'DESC'),
    smallest: one(size, 'ASC'),
    efficiency: one(efficiency, 'DESC'),
    'efficiency-low': one(efficiency, 'ASC'),
    sessions: one(columns.downloads, 'DESC'),
    alphabetical: one(columns.name && sql`lower(${columns.name})`, 'ASC'),
    service: one(columns.service, 'ASC'),
  }[sort]
}

const orderBy = (sql: Sql, orderings: Ordering[], isReversed: boolean): Fragment =>
  orderings
    .map(({ by, direction }) => {
      const word = isReversed ? flipped[direction] : direction
      return sql`${by} ${sql.unsafe(word)}`
    })
    .reduce((all, one) => sql`${all}, ${one}`)

/**
 * The order of single downloads, written over the columns of `downloads`, so that indexes serve it.
 * Every one of them counts once; names and services are those of a whole window.
 */
export function singleOrder(sql: Sql, sort: RetroSort, isReversed: boolean): Fragment {
  const columns = {
    startedAt: sql`started_at`,
    endedAt: sql`ended_at`,
    downloads: null,
    name: null,
    service: null,
  }
  const last: Ordering[] = [
    { by: sql`ended_at`, direction: 'DESC' },
    { by: sql`id`, direction: 'DESC' },
  ]
  return orderBy(sql, [...firstOrdering(sql, sort, columns), ...last], isReversed)
}

/** The same order over rows of any kind, with a last word for what is equal in everything. */
export function rowOrder(sql: Sql, sort: RetroSort): Fragment {
  const columns = {
    startedAt: sql`first_at`,
    endedAt: sql`last_at`,
    downloads: sql`downloads`,
    name: sql`app_name`,
    service: sql`service`,
  }
  const last: Ordering[] = [
    { by: sql`last_at`, direction: 'DESC' },
    { by: sql`number`, direction: 'DESC' },
    { by: sql`key`, direction: 'ASC' },
  ]
  return orderBy(sql, [...firstOrdering(sql, sort, columns), ...last], false)
}

/** Rows of one game or one service put together, from `kept`. */
export function mergedRows(sql: Sql, query: RetroQuery): Fragment {
  const game = sql`folded || CASE
    WHEN app_id IS NOT NULL AND app_id <> 0 THEN '-app-' || app_id
    WHEN beta_app_id IS NOT NULL THEN '-beta-' || beta_app_id
    WHEN game_name IS NOT NULL THEN '-name-' || lower(game_name)
    ELSE '-unknown' END`
  const isService = query.merge === 'service'
  // What has no name is called like its service, also when that has several names in the log.
  const named = sql`CASE WHEN min(app_name) = min(kept.service) THEN folded ELSE min(app_name) END`
  const isKept =
    query.hitMiss === 'all'
      ? sql``
      : sql`WHERE CASE
          WHEN depot_id IS NOT NULL THEN (depot_id, client) IN (SELECT depot_id, client FROM depots)
          ELSE true ${hitRule(sql, query, sql`mostly_hit > 0`)} END`
  return sql`
    SELECT ${isService ? sql`folded` : game} AS key, 0::bigint AS number, folded AS service,
      ${isService ? sql`folded` : named} AS app_name,
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
      (array_agg(title_key ORDER BY last_at DESC))[1:${titlesMax}] AS title_keys,
      array_agg(DISTINCT kept.service) AS services, NULL::text AS datasource
    FROM kept ${isKept}
    GROUP BY folded, 1`
}
