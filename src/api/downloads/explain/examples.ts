import type { Sql } from 'postgres'
import type { SpeedSnapshot } from '../../../engines/logs/contract.ts'
import type { Download } from '../downloads/model.ts'
import { findDownload } from '../downloads/store.ts'
import type { Scope } from '../reports/scope.ts'
import { clientRule, prefillRule } from '../reports/traffic.ts'
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
    WHERE ended_at > to_timestamp(${since}) ${prefillRule(sql, scope.includePrefill)}
      ${clientRule(sql, scope.without)}
    ORDER BY ended_at DESC, id DESC LIMIT ${examplesMax}`
  const found = await Promise.all(ids.map(({ id }) => findDownload(sql, id, since)))
  return found.flatMap((row) => (row === null ? [] : [ofDownload(row)]))
}

/** The newest downloads of one client. */
export async function clientExamples(
  sql: Sql,
  { client, includePrefill, since }: { client: string; includePrefill: boolean; since: number },
): Promise<ExampleRow[]> {
  const ids = await sql<{ id: number }[]>`
    SELECT id::float8 AS id FROM downloads
    WHERE client = ${client} ${prefillRule(sql, includePrefill)}
    ORDER BY ended_at DESC LIMIT ${examplesMax}`
  const found = await Promise.all(ids.map(({ id }) => findDownload(sql, id, since)))
  return found.flatMap((row) => (row === null ? [] : [ofDownload(row)]))
}
