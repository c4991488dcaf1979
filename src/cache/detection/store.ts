import type { Sql } from 'postgres'
import { rowLimits } from '../../engines/shipper/row-limits.ts'
import type { TitleRow } from '../../catalogue/contract.ts'

/** Titles in one answer; the rest are described by their key alone. */
const titlesMax = 200_000

/** Known facts about these titles. */
export const readTitles = (sql: Sql, titleKeys: string[]) => sql<TitleRow[]>`
  SELECT title_key AS "titleKey", game_name AS "gameName", game_app_id::float8 AS "gameAppId",
    beta_app_id AS "betaAppId", depot_id::float8 AS "depotId", image_url AS "imageUrl"
  FROM titles WHERE title_key = ANY(${titleKeys}::text[]) LIMIT ${titlesMax}`

/** Downloads of one title and service, and how many of them are evicted. */
export interface EvictedRow {
  titleKey: string
  service: string
  /** Downloads that carried bytes. */
  downloads: number
  evictedDownloads: number
}

/**
 * Titles with evicted downloads, and those without, which may belong to the same games; from sums
 * that the database maintains. Empty when nothing is evicted.
 */
export const readEvicted = (sql: Sql) => sql<EvictedRow[]>`
  SELECT title_key AS "titleKey", service,
    coalesce(sum(downloads) FILTER (WHERE kind <> 0), 0)::float8 AS downloads,
    sum(evicted)::float8 AS "evictedDownloads"
  FROM title_groups WHERE span_days = 0
    AND EXISTS (SELECT 1 FROM title_groups WHERE span_days = 0 AND evicted > 0)
  GROUP BY 1, 2 HAVING sum(downloads) > 0
  ORDER BY sum(evicted) DESC LIMIT ${titlesMax}`

/** Bytes and addresses of one title's and service's evicted downloads. */
export interface EvictedDetail {
  titleKey: string
  service: string
  bytes: number
  /** At most 20. */
  urls: string[]
}

export const readEvictedDetails = (sql: Sql) => sql<EvictedDetail[]>`
  SELECT title_key AS "titleKey", service, sum(hit_bytes + miss_bytes)::float8 AS bytes,
    (array_agg(DISTINCT left(last_url, ${rowLimits.url})) FILTER (WHERE last_url <> ''))[1:20] AS urls
  FROM downloads WHERE is_evicted GROUP BY 1, 2 LIMIT ${titlesMax}`
