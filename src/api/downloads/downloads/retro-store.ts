import type { Fragment, Sql } from 'postgres'
import { percent, utc } from '../reports/numbers.ts'
import type { RetroDownloadDto } from './model.ts'
import type { RetroQuery } from './retro-query.ts'
import { commonTables, looseCount } from './retro-groups.ts'
import { memberRules } from './retro-rules.ts'
import { mergedRows, rowOrder } from './retro-sql.ts'
import {
  planPage,
  singles,
  windows,
  withNearEnds,
  type PagePlan,
  type RetroOptions,
} from './retro-singles.ts'

/** Download ids listed in one row, the newest. */
export const listedIdsMax = 100
/** Clients and depots listed in one row. */
const listedKeysMax = 1000

interface RetroRow {
  total: number
  key: string | null
  number: number
  service: string
  appName: string
  appId: number | null
  betaAppId: string | null
  depotId: number | null
  client: string
  downloads: number
  evicted: number
  hitBytes: number
  missBytes: number
  timedBytes: number
  speedWeight: number
  firstAt: number
  lastAt: number
  clients: string[]
  depots: number[] | null
  titleKeys: string[]
  services: string[]
  /** Of a single download; rows of several ask for their newest. */
  datasource: string | null
}

/**
 * Depots and single downloads as one list, of which the latter have only what rows are ordered by:
 * most of them are not on the page.
 */
function plainRows(
  sql: Sql,
  query: RetroQuery,
  options: { plan: PagePlan; endedBefore: number },
): Fragment {
  return sql`
    SELECT 'depot-' || depot_id || '-' || client AS key, 0::bigint AS number, service, app_name,
      app_id, beta_app_id, depot_id, client, downloads, evicted, hit_bytes, miss_bytes,
      timed_bytes, speed_weight, first_at, last_at, ARRAY[client] AS clients,
      ARRAY[depot_id] AS depots, title_keys, ARRAY[service] AS services,
      NULL::text AS datasource
    FROM depots
    UNION ALL
    SELECT NULL, id, service, app_name, NULL, NULL, NULL, NULL, 1, NULL, hit_bytes, miss_bytes, NULL,
      NULL, started_at, ended_at, NULL, NULL, NULL, NULL, NULL
    FROM (${windows(sql, query, options)}) AS singles`
}

/** The rows of a page as a whole. */
const wholeRows = (sql: Sql): Fragment => sql`
  SELECT * FROM cut WHERE number = 0
  UNION ALL
  SELECT 'no-depot-' || service || '-' || client || '-' || id, id, service, app_name, app_id,
    beta_app_id, NULL, client, downloads, evicted, hit_bytes, miss_bytes, timed_bytes,
    speed_weight, first_at, last_at, ARRAY[client], NULL, ARRAY[title_key], ARRAY[service],
    datasource
  FROM (${singles(sql, sql`SELECT number FROM cut WHERE number > 0`)}) AS singles`

/** One page of rows and the number of all rows, in one statement. */
async function selectRows(sql: Sql, query: RetroQuery, options: RetroOptions): Promise<RetroRow[]> {
  const { endedBefore } = options
  const isMerged = query.merge !== 'none'
  const plan = isMerged
    ? { windows: [], offset: (query.page - 1) * query.pageSize, singles: null, lastAt: null }
    : await planPage(sql, query, options)
  const rows = isMerged ? mergedRows(sql, query) : plainRows(sql, query, { plan, endedBefore })
  const loose =
    plan.singles === null
      ? sql`(SELECT coalesce(sum(${looseCount(sql, query)}), 0) FROM loose)`
      : sql`${plan.singles}::float8`
  const count = isMerged
    ? sql`SELECT count(*) FROM rows`
    : sql`SELECT (SELECT count(*) FROM depots) + ${loose}`
  return sql<RetroRow[]>`
    ${commonTables(sql, query, endedBefore)}, rows AS (${rows}), cut AS (
      SELECT * FROM rows ORDER BY ${rowOrder(sql, query.sort)}
      LIMIT ${query.pageSize} OFFSET ${plan.offset}
    ), page AS (${isMerged ? sql`SELECT * FROM cut` : wholeRows(sql)})
    SELECT (${count})::float8 AS total, key, number::float8 AS number, service,
      app_name AS "appName", app_id::float8 AS "appId", beta_app_id AS "betaAppId",
      depot_id::float8 AS "depotId", client, downloads::float8 AS downloads,
      evicted::float8 AS evicted, hit_bytes::float8 AS "hitBytes",
      miss_bytes::float8 AS "missBytes", timed_bytes::float8 AS "timedBytes",
      speed_weight AS "speedWeight", extract(epoch FROM first_at)::float8 AS "firstAt",
      extract(epoch FROM last_at)::float8 AS "lastAt", to_json(clients) AS clients,
      to_json(depots) AS depots, to_json(title_keys) AS "titleKeys",
      to_json(services) AS services, datasource
    FROM (SELECT 1) AS always LEFT JOIN page ON true
    ORDER BY ${rowOrder(sql, query.sort)}`
}

interface Members {
  key: string
  ids: number[]
  datasource: string | null
}

interface Wanted {
  key: string
  client: string
  services: string[]
  titles: string[]
  /** Unix seconds, between which its members ended. */
  from: number
  until: number
}

/** Of services: they have too many titles to ask one by one, and each is as frequent as it is. */
const newestOfServices = (sql: Sql, wanted: Wanted[], rules: Fragment): Fragment =>
  wanted
    .flatMap(({ key, services, from, until }) =>
      services.map(
        (service) => sql`(
          SELECT ${key}::text AS key, id, datasource, ended_at FROM downloads
          WHERE service = ${service} ${rules}
            AND ended_at BETWEEN to_timestamp(${from}) AND to_timestamp(${until})
          ORDER BY ended_at DESC LIMIT ${listedIdsMax})`,
      ),
    )
    .reduce((all, one) => sql`${all} UNION ALL ${one}`)

const newestOfTitles = (sql: Sql, wanted: Wanted[], rules: Fragment): Fragment => sql`
  SELECT key, id, datasource, ended_at
  FROM json_to_recordset((${JSON.stringify(wanted)}::text)::json)
    AS wanted(key text, client text, "from" float8, until float8, titles json)
  CROSS JOIN LATERAL json_array_elements_text(wanted.titles) AS title
  CROSS JOIN LATERAL (
    SELECT id, datasource, ended_at FROM downloads
    WHERE title_key = title.value ${rules}
      AND ended_at BETWEEN to_timestamp(wanted.from) AND to_timestamp(wanted.until)
    ORDER BY ended_at DESC LIMIT ${listedIdsMax}
  ) AS newest`

/** The newest downloads of rows that stand for several. */
async function selectMembers(
  sql: Sql,
  query: RetroQuery,
  { rows, endedBefore }: { rows: RetroRow[]; endedBefore: number },
): Promise<Map<string, Members>> {
  const wanted = rows
    .filter((row) => row.number === 0)
    .map(({ key, client, services, titleKeys, firstAt, lastAt }): Wanted => ({
      key: key ?? '',
      client,
      services,
      titles: [...new Set(titleKeys)].slice(0, listedIdsMax),
      // A second more than enough for fractions.
      from: firstAt - 1,
      until: lastAt + 1,
    }))
  if (wanted.length === 0) return new Map()
  const ofClient = query.merge === 'none' ? sql`AND client = wanted.client` : sql``
  const rules = sql`${ofClient} ${memberRules(sql, query, endedBefore)}`
  const isWhole =
    query.merge === 'service' &&
    query.search === null &&
    !query.hideUnknown &&
    query.titles === null
  const newest = isWhole ? newestOfServices : newestOfTitles
  const found = await sql<Members[]>`
    SELECT key, json_agg(id ORDER BY ended_at DESC, id DESC) AS ids,
      (array_agg(datasource ORDER BY ended_at DESC, id DESC))[1] AS datasource
    FROM (
      SELECT *, row_number() OVER (PARTITION BY key ORDER BY ended_at DESC, id DESC) AS place
      FROM (${newest(sql, wanted, rules)}) AS newest
    ) AS placed
    WHERE place <= ${listedIdsMax} GROUP BY key`
  return new Map(found.map((members) => [members.key, members]))
}

function retroDownload(row: RetroRow, members: Members | undefined): RetroDownloadDto {
  const totalBytes = row.hitBytes + row.missBytes
  return {
    id: row.key ?? '',
    startTimeUtc: utc(row.firstAt),
    endTimeUtc: utc(row.lastAt),
    depotId: row.depotId,
    appName: row.appName,
    alphaAppId: row.appId,
    betaAppId: row.betaAppId,
    service: row.service,
    datasource: row.datasource ?? members?.datasource ?? '',
    clientIp: row.client,
    averageBytesPerSecond: row.timedBytes === 0 ? 0 : row.speedWeight / row.timedBytes,
    cacheHitBytes: row.hitBytes,
    cacheMissBytes: row.missBytes,
    cacheHitPercent: percent(row.hitBytes, totalBytes),
    totalBytes,
    requestCount: row.downloads,
    downloadIds: row.number === 0 ? (members?.ids ?? []) : [row.number],
    clientIps: row.clients.slice(0, listedKeysMax),
    depotIds: (row.depots ?? []).slice(0, listedKeysMax),
    isEvicted: row.evicted === row.downloads,
    isPartiallyEvicted: row.evicted > 0 && row.evicted < row.downloads,
  }
}

/** The page that a query asks for. */
export async function retroRows(
  sql: Sql,
  asked: RetroQuery,
  options: RetroOptions,
): Promise<{ items: RetroDownloadDto[]; total: number }> {
  const { endedBefore } = options
  const query = await withNearEnds(sql, asked)
  const rows = await selectRows(sql, query, options)
  const total = rows[0]?.total ?? 0
  const shown = rows.filter((row) => row.key !== null)
  const members = await selectMembers(sql, query, { rows: shown, endedBefore })
  return { items: shown.map((row) => retroDownload(row, members.get(row.key ?? ''))), total }
}
