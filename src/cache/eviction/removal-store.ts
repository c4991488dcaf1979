import type { Fragment, Sql } from 'postgres'
import type { EvictedScope, Within } from '../../../db/state/schema/removals.ts'
import { isOfNameService, isWithin } from '../removals/store.ts'
import { batchSize } from './store.ts'

/** Rows `d` of downloads and `t` of titles in the scope. */
function inScope(sql: Sql, scope: EvictedScope): Fragment {
  const noIds = sql`t.game_app_id IS NULL AND t.beta_app_id IS NULL`
  if (scope.kind === 'bulk') return sql`true`
  if (scope.kind === 'alpha') {
    return sql`t.beta_app_id IS NULL AND coalesce(t.game_app_id, t.depot_id) = ${scope.appId}`
  }
  if (scope.kind === 'beta') return sql`t.beta_app_id = ${scope.betaAppId}`
  if (scope.kind === 'service') return sql`lower(d.service) = ${scope.service} AND ${noIds}`
  return sql`${isOfNameService(sql, scope.service)} AND ${noIds} AND t.game_name = ${scope.gameName}`
}

/** Deletes one slice of a scope's evicted downloads; returns how many. */
export async function deleteEvictedSlice(
  sql: Sql,
  scope: EvictedScope,
  within?: Within,
): Promise<number> {
  const { count } = await sql`
    DELETE FROM downloads WHERE is_evicted AND id IN (
      SELECT d.id FROM downloads d LEFT JOIN titles t ON t.title_key = d.title_key
      WHERE d.is_evicted AND ${inScope(sql, scope)} AND ${isWithin(sql, within)}
      LIMIT ${batchSize})`
  return count
}

export async function countEvicted(
  sql: Sql,
  scope: EvictedScope,
  within?: Within,
): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    SELECT count(*)::float8 AS n FROM downloads d LEFT JOIN titles t ON t.title_key = d.title_key
    WHERE d.is_evicted AND ${inScope(sql, scope)} AND ${isWithin(sql, within)}`
  return row?.n ?? 0
}

/** A title whose downloads with bytes are all evicted, in one datasource. */
export interface GoneTitle {
  datasource: string
  service: string
  titleKey: string
}

/** Titles per answer. */
export const goneTitlesMax = 100_000

/**
 * Titles of a scope with nothing left, whose log lines refer to no cache file any more. Downloads
 * without a title are left out.
 */
export const goneTitles = (sql: Sql, scope: EvictedScope) => sql<GoneTitle[]>`
  SELECT d.datasource, lower(d.tag) AS service, d.title_key AS "titleKey"
  FROM downloads d
  WHERE d.title_key <> '' AND d.title_key IN (
    SELECT DISTINCT d.title_key FROM downloads d LEFT JOIN titles t ON t.title_key = d.title_key
    WHERE d.is_evicted AND ${inScope(sql, scope)})
  GROUP BY 1, 2, 3
  HAVING bool_and(d.is_evicted OR d.hit_bytes + d.miss_bytes = 0) AND bool_or(d.is_evicted)
  LIMIT ${goneTitlesMax}`

/** A sampled object of an evicted download without a title. */
export interface GoneObject {
  datasource: string
  tag: string
  path: string
}

export const goneObjectsMax = 100_000

/** Sampled objects of evicted downloads without a title: the only way to find their log lines. */
export const goneObjects = (sql: Sql, scope: EvictedScope) => sql<GoneObject[]>`
  SELECT DISTINCT d.datasource, d.tag, substr(key, strpos(key, ' ') + 1) AS path
  FROM downloads d JOIN download_objects o ON o.download_id = d.id
    LEFT JOIN titles t ON t.title_key = d.title_key, unnest(o.object_keys) key
  WHERE d.is_evicted AND d.title_key = '' AND ${inScope(sql, scope)}
  LIMIT ${goneObjectsMax}`
