import type { Fragment, Sql } from 'postgres'
import { rowLimits } from '../../engines/shipper/row-limits.ts'
import { endsNow } from '../reports/active.ts'
import { utc } from '../reports/numbers.ts'
import type { Scope } from '../reports/scope.ts'
import { clientRule, inPeriod, prefillRule, taggedRule } from '../reports/traffic.ts'
import type { Download, DownloadEventAssociation, EventTag } from './model.ts'
import { measuredRow, type DownloadRow } from './row.ts'

export const downloadOf = (row: DownloadRow): Download => ({
  ...measuredRow(row),
  lastUrl: row.lastUrl === '' ? null : row.lastUrl,
})

/** The downloads selected by a fragment (`SELECT * FROM downloads …`), with their names. */
const withNames = (sql: Sql, selected: Fragment, activeSince: number): Fragment => sql`
  SELECT d.id::float8 AS id, d.service, d.client AS "clientIp",
    extract(epoch FROM d.started_at)::float8 AS "startedAt",
    extract(epoch FROM d.ended_at)::float8 AS "endedAt",
    d.hit_bytes::float8 AS "hitBytes", d.miss_bytes::float8 AS "missBytes",
    ${endsNow(sql, sql`d.ended_at`, activeSince)} AS "isActive", d.is_evicted AS "isEvicted",
    d.is_prefill AS "isPrefill", t.game_app_id::float8 AS "gameAppId", t.game_name AS "gameName",
    t.image_url AS "gameImageUrl", left(d.last_url, ${rowLimits.url}) AS "lastUrl",
    t.depot_id::float8 AS "depotId",
    t.beta_app_id AS "betaAppId", t.epsilon_product_id AS "epsilonProductId", d.datasource,
    nullif(d.title_key, '') AS "titleKey"
  FROM (${selected}) AS d LEFT JOIN titles t ON t.title_key = d.title_key`

export async function findDownload(
  sql: Sql,
  id: number,
  activeSince: number,
): Promise<Download | null> {
  const selected = sql`SELECT * FROM downloads WHERE id = ${id}`
  const [row] = await sql<DownloadRow[]>`${withNames(sql, selected, activeSince)}`
  return row === undefined ? null : downloadOf(row)
}

/** Those of the ids that exist, newest start first. */
export async function findDownloads(
  sql: Sql,
  ids: readonly number[],
  activeSince: number,
): Promise<Download[]> {
  const selected = sql`SELECT * FROM downloads WHERE id = ANY(${[...ids]}::bigint[])`
  const rows = await sql<DownloadRow[]>`
    ${withNames(sql, selected, activeSince)} ORDER BY d.started_at DESC, d.id DESC`
  return rows.map(downloadOf)
}

/** Newest start first. Downloads without bytes are listed only while active, or on request. */
export async function listDownloads(
  sql: Sql,
  scope: Scope,
  options: { limit: number; activeSince: number; showZeroBytes?: boolean },
): Promise<Download[]> {
  const isRunning = endsNow(sql, sql`ended_at`, options.activeSince)
  const selected = sql`
    SELECT * FROM downloads
    WHERE ${options.showZeroBytes === true ? sql`true` : sql`(hit_bytes + miss_bytes > 0 OR ${isRunning})`}
      ${inPeriod(sql, 'started_at', scope.period)} ${prefillRule(sql, scope.includePrefill)}
      ${clientRule(sql, scope.without)} ${taggedRule(sql, scope.eventId)}
      ${scope.hidesEvicted === true ? sql`AND NOT is_evicted` : sql``}
    ORDER BY started_at DESC, id DESC LIMIT ${options.limit}`
  const rows = await sql<DownloadRow[]>`
    ${withNames(sql, selected, options.activeSince)} ORDER BY d.started_at DESC, d.id DESC`
  return rows.map(downloadOf)
}

interface AssociationRow {
  id: number
  name: string
  colorIndex: number
  startAt: number
  endAt: number
  autoTagged: boolean
  taggedAt: number
}

/** Events tagged on one download, latest start first. */
export async function associationsOf(
  sql: Sql,
  downloadId: number,
): Promise<DownloadEventAssociation[]> {
  const rows = await sql<AssociationRow[]>`
    SELECT e.id::float8 AS id, e.name, e.color_index AS "colorIndex",
      extract(epoch FROM e.start_at)::float8 AS "startAt",
      extract(epoch FROM e.end_at)::float8 AS "endAt", x.is_automatic AS "autoTagged",
      extract(epoch FROM x.tagged_at)::float8 AS "taggedAt"
    FROM event_downloads x JOIN events e ON e.id = x.event_id
    WHERE x.download_id = ${downloadId} AND NOT x.is_removed
    ORDER BY e.start_at DESC, e.id DESC`
  return rows.map(({ startAt, endAt, taggedAt, ...rest }) => ({
    ...rest,
    startTimeUtc: utc(startAt),
    endTimeUtc: utc(endAt),
    taggedAtUtc: utc(taggedAt),
  }))
}

/** Tags of many downloads, by download id. */
export async function tagsOf(sql: Sql, ids: number[]): Promise<Map<number, EventTag[]>> {
  const tags = new Map<number, EventTag[]>()
  if (ids.length === 0) return tags
  const rows = await sql<(EventTag & { downloadId: number })[]>`
    SELECT x.download_id::float8 AS "downloadId", e.id::float8 AS id, e.name,
      e.color_index AS "colorIndex", x.is_automatic AS "autoTagged"
    FROM event_downloads x JOIN events e ON e.id = x.event_id
    WHERE x.download_id = ANY(${ids}::bigint[]) AND NOT x.is_removed
    ORDER BY e.start_at DESC, e.id DESC`
  for (const { downloadId, ...tag } of rows) {
    tags.set(downloadId, [...(tags.get(downloadId) ?? []), tag])
  }
  return tags
}

/** Downloads that a best speed is the best of, the newest ones. */
const comparedMax = 1000
/** Shorter ones are bursts, whose speed says little. */
const comparedSeconds = 10

export interface BestSpeed {
  bytesPerSecond: number
  downloads: number
}

/** The fastest of the last downloads, of one client or of all. */
export async function bestSpeed(
  sql: Sql,
  { client, without }: { client: string | null; without: readonly string[] },
): Promise<BestSpeed> {
  const [row] = await sql<BestSpeed[]>`
    SELECT coalesce(max(bytes / seconds), 0)::float8 AS "bytesPerSecond",
      count(*)::float8 AS downloads
    FROM (
      SELECT hit_bytes + miss_bytes AS bytes, extract(epoch FROM ended_at - started_at) AS seconds
      FROM downloads
      WHERE NOT is_prefill AND ended_at - started_at > make_interval(secs => ${comparedSeconds})
        ${client === null ? clientRule(sql, without) : sql`AND client = ${client}`}
      ORDER BY ended_at DESC, id DESC LIMIT ${comparedMax}
    ) AS compared`
  return row ?? { bytesPerSecond: 0, downloads: 0 }
}
