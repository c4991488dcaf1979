import type { Overlap } from './model.ts'
import type { Sql } from 'postgres'
import { serviceOfTag } from '../../engines/logs/lines/service-name.ts'
import type { Source } from './source.ts'

/** Ids of imported downloads are above those of the log engine, which count from 1. */
export const firstImportedId = 100_000_000_000_000

export async function firstLines(sql: Sql) {
  const rows = await sql<{ datasource: string; at: number }[]>`
    select datasource, extract(epoch from min(started_at))::float8 as at
    from downloads where id < ${firstImportedId} group by 1`
  const byDatasource = new Map(rows.map(({ datasource, at }) => [datasource, at]))
  return {
    byDatasource,
    /** Infinity: nothing was counted. */
    others: Math.min(...byDatasource.values()),
  }
}
/**
 * Starts of the first downloads that Larder counted from logs, Unix seconds. A datasource without
 * any has the earliest of all: under another name it may be the same cache.
 */
export type FirstLines = Awaited<ReturnType<typeof firstLines>>

/** Null: the source ends before the first line. */
export async function findOverlap(source: Source, sql: Sql): Promise<Overlap | null> {
  const limits = await firstLines(sql)
  if (limits.byDatasource.size === 0) return null
  const found = await source.daysFrom(limits)
  if (found.length === 0) return null
  const counted = await sql<{ day: string; service: string }[]>`
    select distinct to_char(started_at, 'YYYY-MM-DD') as day, service
    from downloads where id < ${firstImportedId}`
  const known = new Set(counted.map(({ day, service }) => `${day} ${service}`))
  const shared = found
    .map(({ day, service }) => ({ day, service: serviceOfTag(service ?? '') }))
    .filter(({ day, service }) => known.has(`${day} ${service}`))
  const days = [...new Set(shared.map(({ day }) => day))].sort()
  return {
    firstLineUtc: new Date(limits.others * 1000).toISOString(),
    downloads: found.reduce((sum, { downloads }) => sum + downloads, 0),
    days: days.length,
    firstDay: days[0] ?? null,
    lastDay: days.at(-1) ?? null,
    services: [...new Set(shared.map(({ service }) => service))].sort(),
  }
}
