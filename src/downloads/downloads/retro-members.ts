import type { Fragment, Sql } from 'postgres'
import type { RetroQuery } from './retro-query.ts'
import { askedRules } from './retro-rules.ts'

/** Download ids listed per row, the newest. */
export const listedIdsMax = 100

/** The part of a row needed to look up its downloads. */
export interface MemberRow {
  key: string | null
  /** Id of a single download, 0 for a merged row. */
  number: number
  client: string
  services: string[]
  titleKeys: string[]
  /** Unix seconds. */
  firstAt: number
  lastAt: number
}

export interface Members {
  key: string
  ids: number[]
  datasource: string | null
}

interface Wanted {
  key: string
  client: string
  services: string[]
  titles: string[]
  /** Unix seconds; its members ended between these two. */
  from: number
  until: number
}

/** Of each service: for rows of many titles, and for those without one. */
const newestOfServices = (sql: Sql, wanted: Wanted[], rules: Fragment): Fragment =>
  wanted
    .flatMap(({ key, services, from, until }) =>
      services.map(
        (service) => sql`(
          SELECT ${key}::text AS key, id, ended_at FROM downloads
          WHERE service = ${service} ${rules}
            AND ended_at BETWEEN to_timestamp(${from}) AND to_timestamp(${until})
          ORDER BY ended_at DESC LIMIT ${listedIdsMax})`,
      ),
    )
    .reduce((all, one) => sql`${all} UNION ALL ${one}`)

/** Of each title, whatever its service: the index does not have it, and titles are of one. */
const newestOfTitled = (sql: Sql, wanted: Wanted[], rules: Fragment): Fragment => sql`
  SELECT key, id, ended_at
  FROM json_to_recordset((${JSON.stringify(wanted)}::text)::json)
    AS wanted(key text, client text, "from" float8, until float8, titles json)
  CROSS JOIN LATERAL json_array_elements_text(wanted.titles) AS title
  CROSS JOIN LATERAL (
    SELECT id, ended_at FROM downloads
    WHERE title_key = title.value ${rules}
      AND ended_at BETWEEN to_timestamp(wanted.from) AND to_timestamp(wanted.until)
    ORDER BY ended_at DESC, id DESC LIMIT ${listedIdsMax}
  ) AS newest`

/** Downloads without a title are of all services alike. */
function newestOfTitles(sql: Sql, wanted: Wanted[], rules: Fragment): Fragment {
  const titled = newestOfTitled(
    sql,
    wanted.map((row) => ({ ...row, titles: row.titles.filter((title) => title !== '') })),
    rules,
  )
  const others = wanted.filter(({ titles }) => titles.includes(''))
  if (others.length === 0) return titled
  return sql`${titled} UNION ALL ${newestOfServices(sql, others, sql`AND title_key = '' ${rules}`)}`
}

/** The newest downloads of merged rows. */
export async function selectMembers(
  sql: Sql,
  query: RetroQuery,
  rows: readonly MemberRow[],
): Promise<Map<string, Members>> {
  const wanted = rows
    .filter((row) => row.number === 0)
    .map(({ key, client, services, titleKeys, firstAt, lastAt }): Wanted => ({
      key: key ?? '',
      client,
      services,
      titles: [...new Set(titleKeys)].slice(0, listedIdsMax),
      // One second covers fractions.
      from: firstAt - 1,
      until: lastAt + 1,
    }))
  if (wanted.length === 0) return new Map()
  const ofClient = query.merge === 'none' ? sql`AND client = wanted.client` : sql``
  const rules = sql`${ofClient} ${askedRules(sql, query)}`
  const isWhole =
    query.merge === 'service' &&
    query.search === null &&
    !query.hideUnknown &&
    query.titles === null
  const newest = isWhole ? newestOfServices : newestOfTitles
  const found = await sql<Members[]>`
    SELECT key, to_json(ids) AS ids,
      (SELECT datasource FROM downloads WHERE id = ids[1]) AS datasource
    FROM (
      SELECT key, (array_agg(id ORDER BY ended_at DESC, id DESC))[1:${listedIdsMax}::int] AS ids
      FROM (${newest(sql, wanted, rules)}) AS newest GROUP BY key
    ) AS found`
  return new Map(found.map((members) => [members.key, members]))
}
