/*
 * The first pages in order of time show the newest downloads, so these name the depots on them: only
 * their sums are read. Counting the others needs their keys alone, which an index has.
 */
import type { Fragment, Sql } from 'postgres'
import { inPeriod } from '../reports/traffic.ts'
import { depotKeys, names } from './retro-groups.ts'
import { isPartlyKept } from './retro-period.ts'
import type { RetroQuery } from './retro-query.ts'
import { askedRules, endRule, isLoose, isPlainView } from './retro-rules.ts'

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

export interface Newest {
  depots: RetroQuery['depots']
  /** Bounds of single downloads on the page. */
  rule: (sql: Sql) => Fragment
}

/** What may be among the first rows of a view; null when everything may. */
export async function newestOf(sql: Sql, query: RetroQuery, rows: number): Promise<Newest | null> {
  const { client, services } = query
  const [service, ...others] = services ?? []
  if (!isByKeys(query) || others.length > 0) return null
  // The condition of an index, and one that drops no more than a block of days: others could make
  // the search long.
  const ofService = service === undefined ? sql`` : sql`AND service = ${service}`
  const whose = client === null ? ofService : sql`AND client = ${client}`
  const ends = (on: Sql) => endRule(on, query.period)
  const [found] = await sql<
    { titles: string[]; clients: string[]; from: number | null; isCertain: boolean }[]
  >`
    WITH looked AS MATERIALIZED (
      SELECT * FROM downloads
      WHERE true ${whose} ${inPeriod(sql, 'started_at', query.period)} ${ends(sql)}
      ORDER BY ended_at DESC, id DESC LIMIT ${newestMax}
    ), firsts AS MATERIALIZED (
      SELECT title_key, client, is_loose, max(ended_at) AS last_at
      FROM (
        SELECT *, ${isLoose(sql)} AS is_loose FROM looked WHERE true ${askedRules(sql, query)}
      ) AS newest LEFT JOIN ${names(sql)} AS t ON named_key = title_key
      WHERE is_loose OR depot_id IS NOT NULL
      GROUP BY title_key, client, is_loose, CASE WHEN is_loose THEN id END
    ), last_row AS (
      SELECT max(last_at) AS last_at FROM (
        SELECT last_at FROM firsts ORDER BY last_at DESC OFFSET ${rows - 1} LIMIT 1
      ) AS last_row
    ), depots AS (
      SELECT title_key, client FROM firsts, last_row
      WHERE NOT is_loose AND firsts.last_at >= coalesce(last_row.last_at, '-infinity')
    )
    SELECT to_json(ARRAY(SELECT DISTINCT title_key FROM depots)) AS titles,
      to_json(ARRAY(SELECT DISTINCT client FROM depots)) AS clients,
      floor(extract(epoch FROM last_at))::float8 AS from,
      -- Another row can end at the same moment as the last one of these.
      (SELECT count(*) < ${newestMax} OR coalesce(last_at > min(ended_at), false) FROM looked)
        AS "isCertain"
    FROM last_row`
  if (found?.isCertain !== true) return null
  const { titles, clients, from } = found
  const least = (on: Sql) => (from === null ? on`` : on`AND ended_at >= to_timestamp(${from})`)
  return { depots: { titles, clients }, rule: (on) => on`${ends(on)} ${least(on)}` }
}

/** Number of the view's depots. */
export const depotCount = (sql: Sql, query: RetroQuery): Fragment => sql`
  SELECT count(*) FROM (${depotKeys(sql, query)}) AS depots
  JOIN ${names(sql)} AS t ON named_key = title_key WHERE depot_id IS NOT NULL`
