/*
 * The first pages in order of time show the newest downloads, so these name the depots on them: only
 * their sums are read. Counting the others needs their keys alone, which an index has.
 */
import type { Fragment, Sql } from 'postgres'
import { depotKeys, names } from './retro-groups.ts'
import { isPartlyKept } from './retro-period.ts'
import type { RetroQuery } from './retro-query.ts'
import { askedRules, isLoose, isPlainView } from './retro-rules.ts'

/** Downloads in which the rows of a page are searched. */
const newestMax = 1000

/** True when neither the sums of a row nor what is subtracted decide whether it is in the view. */
const isByKeys = (query: RetroQuery): boolean =>
  query.sort === 'latest' &&
  query.hitMiss === 'all' &&
  isPlainView(query) &&
  !query.isNearEnd &&
  !query.hidesEvicted &&
  !isPartlyKept(query)

/** The depots that may be among the first rows of a view; null when all of them may. */
export async function newestDepots(
  sql: Sql,
  query: RetroQuery,
  rows: number,
): Promise<RetroQuery['depots']> {
  if (!isByKeys(query)) return null
  const { start } = query.period
  const [found] = await sql<{ titles: string[]; clients: string[]; isCertain: boolean }[]>`
    WITH newest AS MATERIALIZED (
      SELECT id, title_key, client, ended_at, ${isLoose(sql)} AS is_loose FROM downloads
      WHERE true ${askedRules(sql, query)}
        ${start === null ? sql`` : sql`AND ended_at >= to_timestamp(${start})`}
      ORDER BY ended_at DESC, id DESC LIMIT ${newestMax}
    ), firsts AS MATERIALIZED (
      SELECT title_key, client, is_loose, max(ended_at) AS last_at
      FROM newest LEFT JOIN ${names(sql)} AS t ON named_key = title_key
      WHERE is_loose OR depot_id IS NOT NULL
      GROUP BY title_key, client, is_loose, CASE WHEN is_loose THEN id END
    ), last_row AS (
      SELECT last_at FROM firsts ORDER BY last_at DESC OFFSET ${rows - 1} LIMIT 1
    ), depots AS (
      SELECT title_key, client FROM firsts
      WHERE NOT is_loose AND last_at >= coalesce((SELECT last_at FROM last_row), '-infinity')
    )
    SELECT to_json(ARRAY(SELECT DISTINCT title_key FROM depots)) AS titles,
      to_json(ARRAY(SELECT DISTINCT client FROM depots)) AS clients,
      -- Another row can end at the same moment as the last one that was looked at.
      (SELECT count(*) < ${newestMax} FROM newest)
        OR coalesce((SELECT last_at FROM last_row) > (SELECT min(ended_at) FROM newest), false)
        AS "isCertain"`
  return found?.isCertain === true ? { titles: found.titles, clients: found.clients } : null
}

/** Number of the view's depots. */
export const depotCount = (sql: Sql, query: RetroQuery): Fragment => sql`
  SELECT count(*) FROM (${depotKeys(sql, query)}) AS depots
  JOIN ${names(sql)} AS t ON named_key = title_key WHERE depot_id IS NOT NULL`
