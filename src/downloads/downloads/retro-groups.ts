import type { Fragment, Sql } from 'postgres'
import { epsilonServices } from '../reports/numbers.ts'
import { split, type Bounds } from '../reports/range.ts'
import { blockSeconds, daySeconds, inBlocks, isPartlyKept, keptSingles } from './retro-period.ts'
import type { RetroQuery } from './retro-query.ts'
import {
  askedRules,
  endRule,
  hasNoClientRule,
  hitRule,
  isPlainView,
  keyRules,
  localhosts,
} from './retro-rules.ts'

/** Name of rows without a known game. */
export const unknownName = 'Unknown/Other'
/** Block widths of stored download sums, widest first; null means single downloads. */
const ladder = [64 * daySeconds, blockSeconds, null] as const
type Width = (typeof ladder)[number]

/** A download's contribution to a row: count, evicted, hits, misses, and its speed. */
export const measures = (sql: Sql): Fragment => sql`
  1::bigint AS downloads, is_evicted::int::bigint AS evicted, hit_bytes, miss_bytes,
  CASE WHEN ended_at > started_at THEN hit_bytes + miss_bytes ELSE 0 END AS timed_bytes,
  coalesce((hit_bytes + miss_bytes)::float8 * (hit_bytes + miss_bytes)
    / nullif(date_part('epoch', ended_at - started_at), 0), 0) AS speed_weight`

const clientColumn = (sql: Sql, { isOfAllClients }: RetroQuery): Fragment =>
  isOfAllClients ? sql`NULL::text AS client` : sql`client`

const foldedService = (sql: Sql): Fragment =>
  sql`CASE WHEN service = ANY(${[...epsilonServices]}::text[]) THEN 'xbox' ELSE service END`

const keys = (sql: Sql): Fragment => sql`title_key, client`

/** Single downloads in the shape of stored groups. */
const downloadsAsGroups = (sql: Sql, query: RetroQuery): Fragment => {
  const columns = sql`
    title_key, ${clientColumn(sql, query)}, service, download_kind(hit_bytes, miss_bytes) AS kind,
    ${measures(sql)}, started_at AS first_at, ended_at AS last_at`
  return sql`SELECT ${query.part === 'keys' ? keys(sql) : columns} FROM downloads`
}

/** Rows to subtract: their counts are negative, and bounds that they may have set are looked up. */
const negative = (sql: Sql, rows: Fragment): Fragment => sql`
  SELECT title_key, client, service, kind, -downloads AS downloads, -evicted, -hit_bytes,
    -miss_bytes, -timed_bytes, -speed_weight, first_at, last_at
  FROM (${rows}) AS negative`

const negativeRows = (sql: Sql, query: RetroQuery, rule: Fragment): Fragment =>
  negative(sql, sql`${downloadsAsGroups(sql, query)} WHERE ${rule} ${askedRules(sql, query)}`)

/** Last moment of what is not subtracted. */
const newest = (sql: Sql): Fragment => sql`max(last_at) FILTER (WHERE downloads > 0)`

const hiddenClients = ({ without, hideLocalhost }: RetroQuery): string[] => [
  ...without,
  ...(hideLocalhost ? localhosts : []),
]

/**
 * True when hidden clients, which are few, are subtracted from the sums of all. Only where nothing else
 * is: bounds that they may have set are those of the other clients' sums.
 */
const isLessHidden = (query: RetroQuery): boolean =>
  query.isOfAllClients &&
  query.client === null &&
  !hasNoClientRule(query) &&
  !query.isNearEnd &&
  !query.hidesEvicted

/** Restricts groups to those that a search may find; a single condition is one of an index. */
function candidateRule(sql: Sql, { candidates }: RetroQuery): Fragment {
  if (candidates === null) return sql``
  const { titles, services, clients } = candidates
  const rules = [
    { column: sql`title_key`, words: titles },
    { column: sql`service`, words: services },
    { column: sql`client`, words: clients },
  ]
    .filter(({ words }) => words.length > 0)
    .map(({ column, words }) => sql`${column} = ANY(${words}::text[])`)
  if (rules.length === 0) return sql`AND false`
  return sql`AND (${rules.reduce((all, one) => sql`${all} OR ${one}`)})`
}

/** Restricts groups to the depots that may be on the page. */
const pageRule = (sql: Sql, { part, depots }: RetroQuery): Fragment =>
  part !== 'depots' || depots === null
    ? sql``
    : sql`AND title_key = ANY(${depots.titles}::text[]) AND client = ANY(${depots.clients}::text[])`

/**
 * Numbers of single downloads by blocks, in the shape of stored groups: of one client, or of all
 * without those of hidden ones, which are few.
 */
function blockRows(sql: Sql, query: RetroQuery, { from, until }: Bounds): Fragment {
  const { client, part } = query
  const ofAny = { ...query, part: 'all', client: null, without: [], hideLocalhost: false } as const
  const ofPart = part === 'counts' ? sql`AND NOT has_depot` : sql``
  const rows = (whose: Fragment) => sql`
    SELECT NULL::text AS title_key, client, service, kind, downloads, 0::bigint AS evicted,
      hit_bytes, miss_bytes, 0::bigint AS timed_bytes, 0::float8 AS speed_weight,
      to_timestamp(block::float8 * ${blockSeconds}) AS first_at, last_at
    FROM download_blocks WHERE ${whose} ${ofPart}
      ${from === null ? sql`` : sql`AND block >= ${from / blockSeconds}`}
      ${until === null ? sql`` : sql`AND block < ${until / blockSeconds}`}
      ${query.showZeroBytes ? sql`` : sql`AND kind > 0`} ${keyRules(sql, ofAny)}`
  const hidden = hiddenClients(query)
  const others = sql`NOT of_all AND client <> ALL(${hidden}::text[])`
  if (client !== null) return rows(sql`${others} AND client = ${client}`)
  if (part === 'clients') return rows(others)
  const all = rows(sql`of_all`)
  if (hidden.length === 0) return all
  const excluded = sql`NOT of_all AND client = ANY(${hidden}::text[])`
  return sql`${all} UNION ALL ${negative(sql, rows(excluded))}`
}

/**
 * Sums of one block width (`seconds` 0 is all time), or single downloads at the edges of a range.
 */
function partRows(
  sql: Sql,
  query: RetroQuery,
  { seconds, from, until, isLess }: Bounds & { seconds: number | null; isLess: boolean },
): Fragment {
  if (seconds === null) {
    const period = { start: from, end: until === null ? null : until - 1 }
    const ends = query.part === 'title' ? endRule(sql, period) : sql``
    // As a CASE it stays a filter: an index would lead to all downloads that the titles ever had.
    const ofPage = sql`AND CASE WHEN true ${pageRule(sql, query)} THEN true ELSE false END`
    return sql`
      ${downloadsAsGroups(sql, query)} WHERE true ${askedRules(sql, { ...query, period })} ${ends}
        ${ofPage}`
  }
  const isCounted = query.part === 'counts' || query.part === 'clients'
  if (isCounted && seconds !== 0) return blockRows(sql, query, { from, until })
  const columns = sql`
    title_key, ${clientColumn(sql, query)}, service, kind, downloads, evicted, hit_bytes, miss_bytes,
    timed_bytes, speed_weight, first_at, last_at`
  const stored = (table: string, asked: RetroQuery, whose = sql``) => sql`
    SELECT ${query.part === 'keys' ? keys(sql) : columns} FROM ${sql(table)}
    WHERE span_days = ${sql.unsafe(String(seconds / daySeconds))}
      ${from === null ? sql`` : sql`AND block >= ${from / seconds}`}
      ${until === null ? sql`` : sql`AND block < ${until / seconds}`}
      ${query.showZeroBytes ? sql`` : sql`AND kind > 0`} ${keyRules(sql, asked)} ${whose}
      ${candidateRule(sql, query)} ${pageRule(sql, query)}`
  const ofAny = { ...query, without: [], hideLocalhost: false }
  if (isLess) {
    const hidden = sql`AND client = ANY(${hiddenClients(query)}::text[])`
    return sql`${stored('title_groups', ofAny)}
      UNION ALL ${negative(sql, stored('download_groups', ofAny, hidden))}`
  }
  const isTogether = query.isOfAllClients && hasNoClientRule(query)
  return stored(isTogether ? 'title_groups' : 'download_groups', query)
}

/**
 * All summands, as group rows of these widths. Where single downloads are no longer kept, sums of
 * whole blocks stand for them; rows of single downloads end there.
 */
function parts(sql: Sql, query: RetroQuery, widths: readonly Width[] = ladder): Fragment {
  if (!isPartlyKept(query)) return summands(sql, query, widths)
  if (query.part === 'loose' || query.part === 'counts')
    return summands(sql, { ...query, period: keptSingles(query) }, widths)
  if (query.merge !== 'none' || query.part === 'depots')
    return summands(sql, { ...query, period: inBlocks(query) }, widths)
  const part = (name: 'depots' | 'loose') => parts(sql, { ...query, part: name }, widths)
  return sql`${part('depots')} UNION ALL ${part('loose')}`
}

function summands(sql: Sql, asked: RetroQuery, widths: readonly Width[]): Fragment {
  if (asked.eventId !== null) {
    return sql`${downloadsAsGroups(sql, asked)} WHERE true ${askedRules(sql, asked)}`
  }
  // Stored sums include all downloads: exclusions are subtracted at the end.
  const query = { ...asked, hidesEvicted: false }
  const { start, end } = query.period
  const until = query.isNearEnd || end === null ? null : end + 1
  const rows: Fragment[] = []
  if (query.isNearEnd && end !== null) {
    rows.push(negativeRows(sql, { ...query, period: { start: end + 1, end: null } }, sql`true`))
  }
  if (asked.hidesEvicted) rows.push(negativeRows(sql, query, sql`is_evicted`))
  const parts =
    start === null && until === null && widths === ladder
      ? [{ seconds: 0, from: null, until: null }]
      : split({ from: start, until }, widths)
  const empty = { seconds: null, from: start, until }
  const all = parts.length === 0 ? [empty] : parts
  const isLess = isLessHidden(asked)
  return [...all.map((part) => partRows(sql, query, { ...part, isLess })), ...rows].reduce(
    (all, part) => sql`${all} UNION ALL ${part}`,
  )
}

/**
 * All groups (title, client, service) of the view, from stored sums where possible; those of plain
 * views, which are depots, have one row for all services. Merged rows filtered by hit or miss keep
 * both kinds of downloads separate. Added up as float8, as answers are: exact up to nine petabytes,
 * and a sum of bigint needs several times the memory and spills to disk.
 */
function groups(sql: Sql, query: RetroQuery): Fragment {
  const isSplit = query.merge !== 'none' && query.hitMiss !== 'all'
  const kind = isSplit ? sql`kind` : sql`NULL::smallint`
  const isPlain = isPlainView(query)
  // A bound that something subtracted may have set is computed without it.
  const member = sql`
    FROM downloads WHERE title_key = g.title_key
      ${isPlain ? sql`` : sql`AND service = g.service`}
      ${query.isOfAllClients ? sql`` : sql`AND client = g.client`}
      ${isSplit ? sql`AND download_kind(hit_bytes, miss_bytes) = g.kind` : sql``}
      ${askedRules(sql, query)}`
  const others = sql`
    FROM (${parts(sql, { ...query, part: 'title', isOfAllClients: false })}) AS own
    WHERE own.title_key = g.title_key AND own.service = g.service`
  const isLess = isLessHidden(query)
  const lookups = isLess
    ? { first: sql`SELECT min(first_at) ${others}`, last: sql`SELECT max(last_at) ${others}` }
    : {
        first: sql`SELECT min(started_at) ${member} AND ended_at >= g.first_at`,
        last: sql`SELECT ended_at ${member} AND ended_at <= g.last_at ORDER BY ended_at DESC LIMIT 1`,
      }
  const [bounds, summed] =
    isLess || query.isNearEnd || query.hidesEvicted
      ? [
          sql`
            CASE WHEN removed_from <= first_at THEN (${lookups.first}) ELSE first_at END AS first_at,
            CASE WHEN removed_until >= last_at THEN (${lookups.last}) ELSE last_at END AS last_at`,
          sql`
            min(first_at) FILTER (WHERE downloads > 0) AS first_at, ${newest(sql)} AS last_at,
            min(first_at) FILTER (WHERE downloads < 0) AS removed_from,
            max(last_at) FILTER (WHERE downloads < 0) AS removed_until`,
        ]
      : [sql`first_at, last_at`, sql`min(first_at) AS first_at, max(last_at) AS last_at`]
  return sql`
    SELECT title_key, client, service, kind, downloads, mostly_hit, evicted, hit_bytes, miss_bytes,
      timed_bytes, speed_weight, ${bounds}
    FROM (
      SELECT title_key, client, ${isPlain ? sql`min(service)` : sql`service`} AS service,
        ${kind} AS kind, sum(downloads::float8) AS downloads,
        coalesce(sum(downloads::float8) FILTER (WHERE kind = 1), 0) AS mostly_hit,
        sum(evicted::float8) AS evicted, sum(hit_bytes::float8) AS hit_bytes,
        sum(miss_bytes::float8) AS miss_bytes, sum(timed_bytes::float8) AS timed_bytes,
        sum(speed_weight) AS speed_weight, ${summed}
      FROM (${parts(sql, query)}) AS parts
      GROUP BY title_key, client ${isPlain ? sql`` : sql`, parts.service`}
        ${isSplit ? sql`, parts.kind` : sql``}
      HAVING sum(downloads::float8) > 0
    ) AS g`
}

/** Title and client of each depot of a view that nothing is subtracted from. */
export const depotKeys = (sql: Sql, query: RetroQuery): Fragment => sql`
  SELECT DISTINCT ${keys(sql)} FROM (${parts(sql, { ...query, part: 'keys' })}) AS parts`

/** Clients of each service with their newest download, without subtracted ones. */
export const serviceClients = (sql: Sql, query: RetroQuery): Fragment => sql`
  SELECT ${foldedService(sql)} AS key, client, ${newest(sql)} AS last_at
  FROM (${parts(sql, { ...query, isOfAllClients: false })}) AS parts GROUP BY 1, 2`

/** Sums with clients and without titles: from groups of all time or from blocks, which have fewer rows. */
function clientParts(sql: Sql, query: RetroQuery): Fragment {
  const { start, end } = query.period
  const widths = start === null && end === null ? ladder : ([blockSeconds, null] as const)
  return parts(sql, { ...query, part: 'clients', isOfAllClients: false }, widths)
}

/** Clients of each service. */
export const countedClients = (sql: Sql, query: RetroQuery): Fragment => sql`
  SELECT DISTINCT ${foldedService(sql)} AS key, client FROM (${clientParts(sql, query)}) AS parts`

/** Downloads and bytes by client; `last_at` is no earlier than their last moment. */
export const clientSums = (sql: Sql, query: RetroQuery): Fragment => sql`
  SELECT client, sum(downloads::float8) AS downloads, sum(hit_bytes::float8) AS hit_bytes,
    sum(miss_bytes::float8) AS miss_bytes, ${newest(sql)} AS last_at
  FROM (${clientParts(sql, query)}) AS parts GROUP BY client HAVING sum(downloads::float8) > 0`

/** Titles with renamed columns, so that a join has no ambiguous names. */
export const names = (sql: Sql): Fragment => sql`(
  SELECT title_key AS named_key, depot_id, game_app_id AS app_id, beta_app_id, game_name, platform
  FROM titles
)`

export const appName = (sql: Sql): Fragment => sql`
  CASE
    WHEN (depot_id IS NOT NULL OR service = 'steam')
      AND (game_name IS NULL OR lower(game_name) = 'steam') THEN ${unknownName}
    ELSE coalesce(game_name, service)
  END`

/** Single downloads by the blocks of days in which they began; counts suffice without titles. */
function looseParts(sql: Sql, query: RetroQuery): Fragment {
  const part = query.titles === null ? 'counts' : 'loose'
  const asked = { ...query, part, isOfAllClients: hasNoClientRule(query) } as const
  return parts(sql, asked, [blockSeconds, null])
}

/** Number of single downloads by service, grouped no further than needed. */
const looseSums = (sql: Sql, query: RetroQuery): Fragment => sql`
  SELECT service, NULL::text AS app_name, sum(downloads::float8) AS downloads,
    coalesce(sum(downloads::float8) FILTER (WHERE kind = 1), 0) AS mostly_hit,
    ${newest(sql)} AS last_at
  FROM (${looseParts(sql, query)}) AS parts
  GROUP BY service HAVING sum(downloads::float8) > 0`

/** The same by title, with its name, for the order by name. */
function looseTitles(sql: Sql, query: RetroQuery): Fragment {
  const asked = { ...query, part: 'loose', isOfAllClients: hasNoClientRule(query) } as const
  return sql`
    SELECT sums.*, ${appName(sql)} AS app_name FROM (
      SELECT title_key, service, sum(downloads::float8) AS downloads,
        coalesce(sum(downloads::float8) FILTER (WHERE kind = 1), 0) AS mostly_hit,
        ${newest(sql)} AS last_at
      FROM (${parts(sql, asked)}) AS parts
      GROUP BY title_key, service HAVING sum(downloads::float8) > 0
    ) AS sums LEFT JOIN ${names(sql)} AS t ON named_key = title_key`
}

/** Number of single downloads by the block of days that they began in, and by service where asked. */
export function looseBlocks(sql: Sql, query: RetroQuery): Fragment {
  const days = sql.unsafe(String(blockSeconds / daySeconds))
  return sql`
    SELECT ${query.sort === 'service' ? sql`service` : sql`''`} AS name, block::float8 AS block,
      sum(${looseCount(sql, query)})::float8 AS downloads,
      extract(epoch FROM ${newest(sql)})::float8 AS "lastAt"
    FROM (
      SELECT service, download_block(${days}, first_at) AS block,
        downloads::float8 AS downloads, last_at,
        CASE WHEN kind = 1 THEN downloads::float8 ELSE 0 END AS mostly_hit
      FROM (${looseParts(sql, query)}) AS parts
    ) AS blocks
    GROUP BY 1, 2 ORDER BY 2`
}

const isMostlyHit = (sql: Sql): Fragment => sql`hit_bytes >= miss_bytes AND hit_bytes > 0`

/** The same tables of a plain view without `kept`: a depot is one title. */
const plainTables = (sql: Sql, query: RetroQuery): Fragment => sql`
  WITH depots AS (
    SELECT depot_id, client, service, ${appName(sql)} AS app_name, app_id, beta_app_id, downloads,
      evicted, hit_bytes, miss_bytes, timed_bytes, speed_weight, first_at, last_at,
      ARRAY[title_key] AS title_keys
    FROM (${groups(sql, { ...query, part: 'depots' })}) AS base
    JOIN ${names(sql)} AS t ON named_key = title_key
    WHERE depot_id IS NOT NULL ${hitRule(sql, query, isMostlyHit(sql))}
  ), loose AS (${(query.sort === 'alphabetical' ? looseTitles : looseSums)(sql, query)})`

/** Common table expressions: `kept` (named groups that match the search), `depots`, `loose`. */
export function commonTables(sql: Sql, query: RetroQuery): Fragment {
  if (isPlainView(query)) return plainTables(sql, query)
  const search =
    query.search === null
      ? sql``
      : sql`AND (position(${query.search} IN lower(app_name)) > 0
          OR position(${query.search} IN lower(service)) > 0
          OR position(${query.search} IN coalesce(depot_id::text, '')) > 0
          OR position(${query.search} IN lower(client)) > 0)`
  return sql`
    WITH named AS (
      SELECT base.*, depot_id, app_id, beta_app_id, game_name, ${appName(sql)} AS app_name,
        ${foldedService(sql)} AS folded,
        platform = 'epsilon' AND game_name IS NOT NULL AS is_xbox
      FROM (${groups(sql, query)}) AS base
      LEFT JOIN ${names(sql)} AS t ON named_key = title_key
    ), kept AS MATERIALIZED (
      SELECT * FROM named WHERE true ${search}
        ${query.hideUnknown ? sql`AND app_name <> ${unknownName}` : sql``}
    ), depots AS (
      SELECT depot_id, client, min(service) AS service, min(app_name) AS app_name,
        min(app_id) AS app_id, min(beta_app_id) AS beta_app_id, sum(downloads) AS downloads,
        sum(evicted) AS evicted, sum(hit_bytes) AS hit_bytes, sum(miss_bytes) AS miss_bytes,
        sum(timed_bytes) AS timed_bytes, sum(speed_weight) AS speed_weight,
        min(first_at) AS first_at, max(last_at) AS last_at,
        -- A depot's title is called after it; an array_agg per group would spill to disk.
        ARRAY[min(title_key)] AS title_keys
      FROM kept WHERE depot_id IS NOT NULL GROUP BY depot_id, client
      HAVING true ${hitRule(sql, query, sql`sum(hit_bytes) >= sum(miss_bytes) AND sum(hit_bytes) > 0`)}
    ), loose AS (SELECT * FROM kept WHERE depot_id IS NULL)`
}

/** Number of single downloads that match the hit and miss filter. */
export const looseCount = (sql: Sql, query: RetroQuery): Fragment =>
  ({
    all: sql`downloads`,
    hit: sql`mostly_hit`,
    miss: sql`downloads - mostly_hit`,
  })[query.hitMiss]
