import type { Sql } from 'postgres'
import { endsNow } from '../reports/active.ts'
import type { SpeedSnapshot } from '../../../engines/logs/contract.ts'
import type { Download } from '../downloads/model.ts'
import { findDownload } from '../downloads/store.ts'
import type { ClientShare, GameShare } from '../games/model.ts'
import { focusRules, type Focus } from '../reports/focus.ts'
import type { Scope } from '../reports/scope.ts'
import { clientRule, inPeriod, prefillRule, taggedRule } from '../reports/traffic.ts'
import type { ClientStats, ServiceStats } from '../stats/model.ts'
import type { ExampleRow } from './model.ts'

/** Rows that explain a figure. */
export const examplesMax = 20

const bytes = (hitBytes: number, missBytes: number) => ({
  hitBytes,
  missBytes,
  servedBytes: hitBytes + missBytes,
})

export const ofDownload = (row: Download): ExampleRow => ({
  downloadId: row.id,
  clientIp: row.clientIp,
  service: row.service,
  gameName: row.gameName,
  atUtc: row.startTimeUtc,
  ...bytes(row.cacheHitBytes, row.cacheMissBytes),
})

export const ofClient = (row: ClientStats): ExampleRow => ({
  downloadId: null,
  clientIp: row.clientIp,
  service: null,
  gameName: null,
  atUtc: row.lastActivityUtc,
  ...bytes(row.totalCacheHitBytes, row.totalCacheMissBytes),
})

export const ofService = (row: ServiceStats): ExampleRow => ({
  downloadId: null,
  clientIp: null,
  service: row.service,
  gameName: null,
  atUtc: row.lastActivityUtc,
  ...bytes(row.totalCacheHitBytes, row.totalCacheMissBytes),
})

const ofShare = (row: ClientShare | GameShare) => ({
  downloadId: null,
  atUtc: row.lastSeenUtc,
  ...bytes(row.hitBytes, row.missBytes),
})

export const ofClientShare = (row: ClientShare): ExampleRow => ({
  ...ofShare(row),
  clientIp: row.clientIp,
  service: null,
  gameName: null,
})

export const ofGameShare = (row: GameShare): ExampleRow => ({
  ...ofShare(row),
  clientIp: null,
  service: row.service,
  gameName: row.gameName,
})

export const ofSpeed = (row: SpeedSnapshot['gameSpeeds'][number]): ExampleRow => ({
  downloadId: null,
  clientIp: row.clientIp,
  service: row.service,
  gameName: row.gameName,
  atUtc: null,
  ...bytes(row.cacheHitBytes, row.cacheMissBytes),
})

/** Downloads under way, newest first; `since`: Unix seconds. */
export async function activeExamples(sql: Sql, scope: Scope, since: number): Promise<ExampleRow[]> {
  const ids = await sql<{ id: number }[]>`
    SELECT id::float8 AS id FROM downloads
    WHERE ${endsNow(sql, sql`ended_at`, since)} ${prefillRule(sql, scope.includePrefill)}
      ${clientRule(sql, scope.without)}
      ${scope.hidesEvicted === true ? sql`AND NOT is_evicted` : sql``}
    ORDER BY ended_at DESC, id DESC LIMIT ${examplesMax}`
  const found = await Promise.all(ids.map(({ id }) => findDownload(sql, id, since)))
  return found.flatMap((row) => (row === null ? [] : [ofDownload(row)]))
}

/** By which column the newest of a focus are found soonest: all have an index with the end. */
function lookedUpBy({ client, services, titles }: Focus) {
  if (client !== null) return { column: 'client', values: [client] }
  if (titles !== null && !titles.isExcept) return { column: 'title_key', values: titles.keys }
  return { column: 'service', values: services ?? [] }
}

/** The newest downloads of a client, a game or a service in a scope. */
export async function newestExamples(
  sql: Sql,
  scope: Scope,
  { focus, activeSince }: { focus: Focus; activeSince: number },
): Promise<ExampleRow[]> {
  const { column, values } = lookedUpBy(focus)
  // Those of each value on their own: together the planner went through all downloads by their end.
  const ids = await sql<{ id: number }[]>`
    SELECT newest.id::float8 AS id FROM unnest(${[...values]}::text[]) AS wanted(value)
    CROSS JOIN LATERAL (
      SELECT id, ended_at FROM downloads WHERE ${sql(column)} = wanted.value
        ${inPeriod(sql, 'started_at', scope.period)} ${prefillRule(sql, scope.includePrefill)}
        ${clientRule(sql, scope.without)} ${taggedRule(sql, scope.eventId)}
        ${focusRules(sql, focus)} ${scope.hidesEvicted === true ? sql`AND NOT is_evicted` : sql``}
      ORDER BY ended_at DESC LIMIT ${examplesMax}
    ) AS newest
    ORDER BY newest.ended_at DESC, newest.id DESC LIMIT ${examplesMax}`
  const found = await Promise.all(ids.map(({ id }) => findDownload(sql, id, activeSince)))
  return found.flatMap((row) => (row === null ? [] : [ofDownload(row)]))
}
