import type { Sql } from 'postgres'
import { endsNow } from '../reports/active.ts'
import { meanSpeed, percent, utc } from '../reports/numbers.ts'
import type { RetroDownloadDto } from './model.ts'
import type { RetroQuery } from './retro-query.ts'
import { commonTables, countedClients, looseCount, serviceClients } from './retro-groups.ts'
import { rowOrder } from './retro-order.ts'
import { selectMembers, type MemberRow, type Members } from './retro-members.ts'
import { withNames } from './retro-names.ts'
import { depotCount } from './retro-newest.ts'
import { withNearEnds } from './retro-period.ts'
import { mergedPage, mergedRows, plainPage, titlesMax } from './retro-rows.ts'
import { askedRules } from './retro-rules.ts'
import { planPage, singleKeys, type RetroOptions } from './retro-singles.ts'

/** Clients and depots listed per row. */
const listedKeysMax = 1000

interface RetroRow extends MemberRow {
  total: number
  isActive: boolean
  service: string
  appName: string
  appId: number | null
  betaAppId: string | null
  depotId: number | null
  downloads: number
  evicted: number
  hitBytes: number
  missBytes: number
  timedBytes: number
  speedWeight: number
  clients: string[]
  depots: number[] | null
  /** Of a single download; merged rows look up their newest. */
  datasource: string | null
}

/** One page of rows and the total count, in one statement. */
async function selectRows(sql: Sql, asked: RetroQuery, options: RetroOptions): Promise<RetroRow[]> {
  const plan = asked.merge === 'none' ? await planPage(sql, asked, options) : null
  const query = { ...asked, depots: plan?.depots ?? null }
  const page =
    plan === null
      ? mergedPage(sql, query)
      : plainPage(sql, query, { singles: singleKeys(sql, query, plan), offset: plan.offset })
  const loose = sql`(SELECT coalesce(sum(${looseCount(sql, query)}), 0) FROM loose)`
  const depots = query.depots === null ? sql`SELECT count(*) FROM depots` : depotCount(sql, query)
  const count =
    plan === null
      ? sql`SELECT count(*) FROM rows`
      : sql`SELECT (${depots}) + ${plan.singles === null ? loose : sql`${plan.singles}::float8`}`
  return sql<RetroRow[]>`
    ${commonTables(sql, query)}, ${page}
    SELECT (${count})::float8 AS total, key, number::float8 AS number, service,
      app_name AS "appName", app_id::float8 AS "appId", beta_app_id AS "betaAppId",
      depot_id::float8 AS "depotId", client, downloads::float8 AS downloads,
      evicted::float8 AS evicted, hit_bytes::float8 AS "hitBytes",
      miss_bytes::float8 AS "missBytes", timed_bytes::float8 AS "timedBytes",
      speed_weight AS "speedWeight", extract(epoch FROM first_at)::float8 AS "firstAt",
      extract(epoch FROM last_at)::float8 AS "lastAt",
      ${endsNow(sql, sql`last_at`, options.activeSince)} AS "isActive", to_json(clients) AS clients,
      to_json(depots) AS depots, to_json(title_keys) AS "titleKeys",
      to_json(services) AS services, datasource
    FROM (SELECT 1) AS always LEFT JOIN page ON true
    ORDER BY ${rowOrder(sql, query.sort)}`
}

/**
 * True for merged rows whose sums need no client: games' clients are looked up for the rows of the
 * page only, those of services, which have too many titles for that, without titles.
 */
const isWithoutClients = (query: RetroQuery): boolean =>
  (query.merge === 'game' || (query.merge === 'service' && hasAllTitles(query))) &&
  query.search === null &&
  query.hitMiss === 'all' &&
  query.eventId === null

/** True when no title is left out and nothing is subtracted from stored sums. */
const hasAllTitles = (query: RetroQuery): boolean =>
  query.titles === null && !query.hideUnknown && !query.isNearEnd && !query.hidesEvicted

interface RowClients {
  key: string
  client: string
  clients: string[]
}

/** Old downloads may be deleted: then the sums of titles say which client was the newest. */
function clientsOfServices(sql: Sql, query: RetroQuery, rows: readonly RetroRow[]) {
  if (query.keptSince !== null) {
    return sql<RowClients[]>`
      SELECT key, (array_agg(client ORDER BY last_at DESC, client))[1] AS client,
        json_agg(client ORDER BY client) AS clients
      FROM (${serviceClients(sql, query)}) AS found GROUP BY key`
  }
  const newest = rows
    .flatMap(({ key, services, lastAt }) =>
      services.map(
        (service) => sql`(
          SELECT ${key}::text AS key, client, ended_at FROM downloads
          WHERE service = ${service} ${askedRules(sql, query)}
            AND ended_at <= to_timestamp(${lastAt + 1})
          ORDER BY ended_at DESC, client LIMIT 1)`,
      ),
    )
    .reduce((all, one) => sql`${all} UNION ALL ${one}`)
  return sql<RowClients[]>`
    SELECT key, newest.client, json_agg(found.client ORDER BY found.client) AS clients
    FROM (${countedClients(sql, query)}) AS found JOIN (
      SELECT DISTINCT ON (key) key, client FROM (${newest}) AS ends ORDER BY key, ended_at DESC, client
    ) AS newest USING (key)
    GROUP BY key, newest.client`
}

/** From the sums by client of the rows' titles. */
async function clientsOfGames(
  sql: Sql,
  query: RetroQuery,
  rows: readonly RetroRow[],
): Promise<RowClients[]> {
  const keys = [...new Set(rows.flatMap(({ titleKeys }) => titleKeys))]
  const isWhole = keys.length >= titlesMax
  const titles = isWhole ? query.titles : { keys, isExcept: false }
  const asked = { ...query, titles, isOfAllClients: false }
  return sql<RowClients[]>`
    ${commonTables(sql, asked)}
    SELECT key, client, to_json(clients) AS clients FROM (${mergedRows(sql, asked)}) AS rows
    WHERE key = ANY(${rows.map(({ key }) => key)}::text[])`
}

async function withClients(sql: Sql, query: RetroQuery, rows: RetroRow[]): Promise<RetroRow[]> {
  const ask = query.merge === 'service' ? clientsOfServices : clientsOfGames
  const found = await ask(sql, query, rows)
  const byKey = new Map<string | null, RowClients>(found.map((row) => [row.key, row]))
  return rows.map((row) => ({ ...row, client: '', clients: [], ...byKey.get(row.key) }))
}

/** The title of a row that has exactly one. */
function onlyTitle(titleKeys: readonly string[]): string | null {
  const [first = '', ...others] = new Set(titleKeys)
  return first === '' || others.length > 0 ? null : first
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
    averageBytesPerSecond: meanSpeed(row),
    cacheHitBytes: row.hitBytes,
    cacheMissBytes: row.missBytes,
    cacheHitPercent: percent(row.hitBytes, totalBytes),
    totalBytes,
    requestCount: row.downloads,
    downloadIds: row.number === 0 ? (members?.ids ?? []) : [row.number],
    clientIps: row.clients.slice(0, listedKeysMax),
    depotIds: (row.depots ?? []).slice(0, listedKeysMax),
    isActive: row.isActive,
    titleKey: onlyTitle(row.titleKeys),
    isEvicted: row.evicted === row.downloads,
    isPartiallyEvicted: row.evicted > 0 && row.evicted < row.downloads,
  }
}

/** The requested page. */
export async function retroRows(
  sql: Sql,
  asked: RetroQuery,
  options: RetroOptions,
): Promise<{ items: RetroDownloadDto[]; total: number }> {
  const view = await withNames(sql, await withNearEnds(sql, asked))
  const query = { ...view, isOfAllClients: isWithoutClients(view) }
  const rows = await selectRows(sql, query, options)
  const total = rows[0]?.total ?? 0
  const page = rows.filter((row) => row.key !== null)
  const shown = query.isOfAllClients && page.length > 0 ? await withClients(sql, query, page) : page
  const members = await selectMembers(sql, query, shown)
  return { items: shown.map((row) => retroDownload(row, members.get(row.key ?? ''))), total }
}
