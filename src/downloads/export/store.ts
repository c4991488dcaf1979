import type { Fragment, Sql } from 'postgres'
import { endsNow } from '../reports/active.ts'
import { appName, names, unknownName } from '../downloads/retro-groups.ts'
import type { RetroQuery } from '../downloads/retro-query.ts'
import { askedRules, endRule, hitRule } from '../downloads/retro-rules.ts'
import { measuredRow, type DownloadRow } from '../downloads/row.ts'
import { singleOrder } from '../downloads/retro-order.ts'
import type { ExportedDownload } from './columns.ts'

/** Rows held in memory at a time. */
export const pageRows = 1000

/** The source columns of an exported row. */
export type ExportRow = Omit<
  DownloadRow,
  'isPrefill' | 'gameImageUrl' | 'lastUrl' | 'epsilonProductId'
>

export const exportedDownload = (row: ExportRow): ExportedDownload => measuredRow(row)

/** By name and service, these terms precede the order of single downloads. */
function order(sql: Sql, { sort }: RetroQuery): Fragment {
  const single = singleOrder(sql, sort, false)
  if (sort === 'alphabetical') return sql`lower(app_name), ${single}`
  return sort === 'service' ? sql`service, ${single}` : single
}

const searchRule = (sql: Sql, text: string): Fragment => sql`
  AND (position(${text} IN lower(${appName(sql)})) > 0 OR position(${text} IN lower(service)) > 0
    OR position(${text} IN coalesce(depot_id::text, '')) > 0
    OR position(${text} IN lower(client)) > 0)`

/**
 * All downloads matching a filter, in its order. The view's row filters (hit
 * or miss, unknown) apply to every single download. They are in order before their columns are
 * renamed: a term of the order would mean the new column, which no index has.
 */
export const exportRows = (sql: Sql, query: RetroQuery, activeSince: number): Fragment => sql`
  SELECT id::float8 AS id, service, client AS "clientIp",
    extract(epoch FROM started_at)::float8 AS "startedAt",
    extract(epoch FROM ended_at)::float8 AS "endedAt", hit_bytes::float8 AS "hitBytes",
    miss_bytes::float8 AS "missBytes", ${endsNow(sql, sql`ended_at`, activeSince)} AS "isActive",
    game_name AS "gameName", app_id::float8 AS "gameAppId", depot_id::float8 AS "depotId",
    beta_app_id AS "betaAppId", is_evicted AS "isEvicted", datasource
  FROM (SELECT * FROM (
    SELECT downloads.*, t.*, ${appName(sql)} AS app_name
    FROM downloads LEFT JOIN ${names(sql)} AS t ON named_key = title_key
    WHERE true ${askedRules(sql, query)} ${endRule(sql, query.period)}
      ${query.search === null ? sql`` : searchRule(sql, query.search)}
      ${query.hideUnknown ? sql`AND ${appName(sql)} <> ${unknownName}` : sql``}
      ${hitRule(sql, query, sql`hit_bytes >= miss_bytes AND hit_bytes > 0`)}
  ) AS chosen ORDER BY ${order(sql, query)}) AS ordered`
