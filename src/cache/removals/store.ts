import type { Fragment, Sql } from 'postgres'
import type { PendingRemoval, Within } from '../../../db/state/schema/removals.ts'

/** Rows per statement. */
const sliceSize = 2000

type Scope = Extract<PendingRemoval, { action: 'delete' }>['scope']

export interface KnownTitle {
  titleKey: string
  service: string
}

/**
 * Rows `d` of downloads and `t` of titles that belong to a service of named games. Titles of Xbox
 * come from hosts of several services.
 */
export const isOfNameService = (sql: Sql, service: string): Fragment =>
  sql`(lower(d.service) = ${service} OR (t.platform = 'epsilon' AND ${service} = 'xbox'))`

/** Rows `d` of downloads by their datasource. */
export function isWithin(sql: Sql, within: Within | undefined): Fragment {
  if (within === undefined) return sql`true`
  return 'only' in within
    ? sql`lower(d.datasource) = ANY(${within.only}::text[])`
    : sql`lower(d.datasource) <> ALL(${within.except}::text[])`
}

/** Rows `d` of downloads and `t` of titles in the scope. */
function inScope(sql: Sql, scope: Scope, titleKeys: string[]): Fragment {
  const isTitle = sql`d.title_key = ANY(${titleKeys}::text[])`
  if (scope.kind === 'service') return sql`lower(d.service) = ${scope.service}`
  if (scope.kind === 'alpha') {
    return sql`(${isTitle} OR (t.beta_app_id IS NULL
      AND coalesce(t.game_app_id, t.depot_id) = ${scope.appId}))`
  }
  if (scope.kind === 'beta') {
    return sql`(${isTitle} OR (t.beta_app_id IS NOT NULL
      AND (t.game_name = ${scope.gameName} OR t.beta_app_id = ${scope.gameName})))`
  }
  return sql`(${isTitle} OR (${isOfNameService(sql, scope.service)} AND t.game_app_id IS NULL
    AND t.beta_app_id IS NULL AND t.game_name = ${scope.gameName}))`
}

/** Titles per answer. */
const titlesMax = 10_000

/** Known titles of a game, whether or not in a cache. */
export function knownTitles(sql: Sql, scope: Exclude<Scope, { kind: 'service' }>) {
  const titles = sql`SELECT title_key AS "titleKey", service FROM titles`
  if (scope.kind === 'alpha') {
    return sql<KnownTitle[]>`${titles} WHERE beta_app_id IS NULL
      AND coalesce(game_app_id, depot_id) = ${scope.appId} LIMIT ${titlesMax}`
  }
  if (scope.kind === 'beta') {
    return sql<KnownTitle[]>`${titles} WHERE beta_app_id IS NOT NULL
      AND (game_name = ${scope.gameName} OR beta_app_id = ${scope.gameName}) LIMIT ${titlesMax}`
  }
  return sql<KnownTitle[]>`${titles} WHERE game_app_id IS NULL AND beta_app_id IS NULL
    AND game_name = ${scope.gameName}
    AND (lower(service) = ${scope.service} OR (platform = 'epsilon' AND ${scope.service} = 'xbox'))
    LIMIT ${titlesMax}`
}

type Deletion = Extract<PendingRemoval, { action: 'delete' }>

/** Rows `d` of what was removed that ended before a time. */
const removed = (sql: Sql, removal: Deletion, before: number): Fragment => sql`
  d.ended_at < to_timestamp(${before}) AND ${inScope(sql, removal.scope, removal.titleKeys)}
    AND d.title_key <> ALL(${removal.keptTitleKeys}::text[])
    AND ${isWithin(sql, removal.within)}`

/** Deletes one slice of the finished downloads of what was removed; answers how many went. */
export async function deleteSlice(sql: Sql, removal: Deletion): Promise<number> {
  const { count } = await sql`
    DELETE FROM downloads WHERE id IN (
      SELECT d.id FROM downloads d LEFT JOIN titles t ON t.title_key = d.title_key
      WHERE ${removed(sql, removal, removal.endedBefore)} LIMIT ${sliceSize})`
  return count
}

/** Marks one slice of those that may still grow as evicted; answers how many. */
export async function evictUnfinished(sql: Sql, removal: Deletion): Promise<number> {
  const { count } = await sql`
    UPDATE downloads SET is_evicted = true WHERE id IN (
      SELECT d.id FROM downloads d LEFT JOIN titles t ON t.title_key = d.title_key
      WHERE NOT d.is_evicted AND d.hit_bytes + d.miss_bytes > 0
        AND ${removed(sql, removal, removal.evictedBefore ?? removal.endedBefore)}
      LIMIT ${sliceSize})`
  return count
}

/**
 * Marks one slice of the downloads of cleared caches as evicted, by id. Answers the last id
 * and how many; null when there are none left.
 */
export async function evictSlice(
  sql: Sql,
  removal: Extract<PendingRemoval, { action: 'evict' }>,
  afterId: number,
): Promise<{ lastId: number; count: number } | null> {
  const rows = await sql<{ id: number }[]>`
    UPDATE downloads SET is_evicted = true WHERE id IN (
      SELECT id FROM downloads
      WHERE id > ${afterId} AND NOT is_evicted AND hit_bytes + miss_bytes > 0
        AND ended_at < to_timestamp(${removal.endedBefore})
        AND lower(datasource) = ANY(${removal.datasources}::text[])
      ORDER BY id LIMIT ${sliceSize})
    RETURNING id::float8 AS id`
  if (rows.length === 0) return null
  return { lastId: Math.max(...rows.map(({ id }) => id)), count: rows.length }
}
