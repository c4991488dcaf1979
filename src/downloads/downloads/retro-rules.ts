import type { Fragment, Sql } from 'postgres'
import { titleRule } from '../reports/games.ts'
import { clientRule, inPeriod, prefillRule } from '../reports/traffic.ts'
import type { Period } from '../reports/range.ts'
import { blockSeconds } from './retro-period.ts'
import type { RetroQuery } from './retro-query.ts'

export const localhosts = ['127.0.0.1', '::1'] as const

/** Titles with a depot, or all others; plain views only count the latter. */
function partRule(sql: Sql, { part }: RetroQuery): Fragment {
  if (part === 'all' || part === 'clients' || part === 'title') return sql``
  const isDepots = part === 'depots' || part === 'keys'
  return isDepots ? sql`AND starts_with(title_key, 'alpha:')` : sql`AND ${isLoose(sql)}`
}

/** Conditions that stored groups can answer as well as single downloads. */
export const keyRules = (sql: Sql, query: RetroQuery): Fragment => sql`
  ${prefillRule(sql, query.includePrefill)} ${clientRule(sql, query.without)}
  ${partRule(sql, query)}
  ${query.services === null ? sql`` : sql`AND service = ANY(${query.services}::text[])`}
  ${query.titles === null ? sql`` : titleRule(sql, query.titles)}
  ${query.client === null ? sql`` : sql`AND client = ${query.client}`}
  ${query.hideLocalhost ? sql`AND client <> ALL(${[...localhosts]}::text[])` : sql``}`

/** As a sum, the planner would take it for a rare condition and sort what an index has in order. */
const hasBytes = (sql: Sql): Fragment => sql`AND (hit_bytes > 0 OR miss_bytes > 0)`

/** The requested downloads. */
export function askedRules(sql: Sql, query: RetroQuery): Fragment {
  const tagged =
    query.eventId === null
      ? sql``
      : sql`AND id IN (
          SELECT download_id FROM event_downloads
          WHERE event_id = ${query.eventId} AND NOT is_removed
        )`
  return sql`
    ${query.showZeroBytes ? sql`` : hasBytes(sql)}
    ${query.hidesEvicted ? sql`AND NOT is_evicted` : sql``}
    ${inPeriod(sql, 'started_at', query.period)} ${keyRules(sql, query)} ${tagged}`
}

/** Ends of the downloads that began in a period lie between these, so that an index of ends applies. */
export function endRule(sql: Sql, { start, end }: Period): Fragment {
  const from = start === null ? sql`` : sql`AND block >= ${Math.floor(start / blockSeconds)}`
  const last = sql`
    SELECT max(last_at) FROM download_blocks
    WHERE of_all AND block <= ${Math.floor((end ?? 0) / blockSeconds)}`
  return sql`
    ${start === null ? sql`` : sql`AND ended_at >= to_timestamp(${start})`}
    ${end === null ? sql`` : sql`AND ended_at <= (${last} ${from})`}`
}

/** Rows of titles with a depot are merged; the wording matches the partial indexes. */
export const isLoose = (sql: Sql): Fragment => sql`NOT starts_with(title_key, 'alpha:')`

export const hitRule = (sql: Sql, query: RetroQuery, isHit: Fragment): Fragment => {
  if (query.hitMiss === 'all') return sql``
  return query.hitMiss === 'hit' ? sql`AND (${isHit})` : sql`AND NOT (${isHit})`
}

/** True when stored sums answer everything that is asked. */
export const isPlainView = ({ merge, search, hideUnknown, titles, eventId }: RetroQuery): boolean =>
  merge === 'none' &&
  search === null &&
  !hideUnknown &&
  titles === null &&
  // An event's downloads are looked up one by one: once for all kinds.
  eventId === null

/** True when sums of all clients together answer what is asked. */
export const hasNoClientRule = ({ client, without, hideLocalhost }: RetroQuery): boolean =>
  client === null && without.length === 0 && !hideLocalhost
