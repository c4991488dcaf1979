/*
 * Names are searched first in the few titles, services and clients, then in the sums of downloads: a
 * search reads the groups that may match only, and a view without unknown names has a rule of titles.
 */
import type { Fragment, Sql } from 'postgres'
import { appName, names, unknownName } from './retro-groups.ts'
import type { Candidates, RetroQuery } from './retro-query.ts'

/** With more titles than these, every group is looked at. */
const titlesMax = 5000

/** Every title with the services that it is of. */
const allTitles = (sql: Sql): Fragment => sql`
  SELECT title_key, service, depot_id, ${appName(sql)} AS app_name
  FROM (SELECT DISTINCT title_key, service FROM title_groups WHERE span_days = 0) AS pairs
  LEFT JOIN ${names(sql)} AS t ON named_key = title_key`

/** Each client by one descent of the index, as there are thousands of rows for each. */
const allClients = (sql: Sql): Fragment => sql`
  SELECT client FROM (
    WITH RECURSIVE clients AS (
      (SELECT client FROM download_blocks WHERE NOT of_all ORDER BY client LIMIT 1)
      UNION ALL
      SELECT (
        SELECT client FROM download_blocks WHERE NOT of_all AND client > clients.client
        ORDER BY client LIMIT 1
      ) FROM clients WHERE client IS NOT NULL
    ) SELECT client FROM clients WHERE client IS NOT NULL
  ) AS clients`

async function candidatesOf(sql: Sql, search: string): Promise<Candidates | null> {
  const matches = (text: Fragment) => sql`position(${search} IN ${text}) > 0`
  const [found] = await sql<Candidates[]>`
    WITH titles_found AS MATERIALIZED (${allTitles(sql)})
    SELECT to_json(ARRAY(
        SELECT DISTINCT title_key FROM titles_found
        WHERE NOT ${matches(sql`lower(service)`)} AND (${matches(sql`lower(app_name)`)}
          OR ${matches(sql`coalesce(depot_id::text, '')`)})
        LIMIT ${titlesMax + 1}::int
      )) AS titles,
      to_json(ARRAY(
        SELECT DISTINCT service FROM titles_found WHERE ${matches(sql`lower(service)`)}
      )) AS services,
      to_json(ARRAY(
        SELECT client FROM (${allClients(sql)}) AS known WHERE ${matches(sql`lower(client)`)}
      )) AS clients`
  return found === undefined || found.titles.length > titlesMax ? null : found
}

/** True when a title has no name at present. */
async function hasUnknown(sql: Sql): Promise<boolean> {
  const found = await sql`
    SELECT 1 FROM (${allTitles(sql)}) AS titles_found WHERE app_name = ${unknownName} LIMIT 1`
  return found.length > 0
}

/** The view with what its names mean at present. */
export async function withNames(sql: Sql, query: RetroQuery): Promise<RetroQuery> {
  const { search, eventId } = query
  if (eventId !== null) return query
  return {
    ...query,
    candidates: search === null ? null : await candidatesOf(sql, search),
    hideUnknown: query.hideUnknown && (await hasUnknown(sql)),
  }
}
