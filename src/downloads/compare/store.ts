import type { ComparedEvent } from './model.ts'
import type { Fragment, Sql } from 'postgres'
import { gameIdColumn, gameServiceColumn } from '../games/store.ts'
import type { Scope } from '../reports/scope.ts'
import type { BucketSums } from '../reports/series.ts'
import { clientRule, inPeriod, prefillRule, taggedRule } from '../reports/traffic.ts'

/** Games named per event. */
const topGamesMax = 5

/** Downloads with an event's tag, as in other event reports. */
const tagged = (sql: Sql, scope: Scope): Fragment => sql`
  SELECT * FROM downloads
  WHERE true ${taggedRule(sql, scope.eventId)} ${inPeriod(sql, 'started_at', scope.period)}
    ${prefillRule(sql, scope.includePrefill)} ${clientRule(sql, scope.without)}`

export type EventTotals = Omit<ComparedEvent['totals'], 'servedBytes' | 'cacheHitRatio'> &
  Pick<ComparedEvent, 'topGames'>

/** Totals of an event, and its games with the most bytes. */
export async function eventTotals(sql: Sql, scope: Scope): Promise<EventTotals> {
  const [row] = await sql<EventTotals[]>`
    WITH rows AS MATERIALIZED (${tagged(sql, scope)}), games AS (
      SELECT ${gameServiceColumn(sql)} AS service, ${gameIdColumn(sql)} AS id,
        min(t.game_name) AS name, sum(hit_bytes + miss_bytes)::float8 AS bytes
      FROM rows LEFT JOIN titles t ON t.title_key = rows.title_key GROUP BY 1, 2
    ), top AS (
      SELECT * FROM games WHERE bytes > 0 ORDER BY bytes DESC, service, id LIMIT ${topGamesMax}
    )
    SELECT coalesce(sum(hit_bytes), 0)::float8 AS "hitBytes",
      coalesce(sum(miss_bytes), 0)::float8 AS "missBytes", count(*)::float8 AS downloads,
      count(DISTINCT client)::float8 AS clients,
      (SELECT count(*) FROM games WHERE id <> 'unknown')::float8 AS games,
      (SELECT coalesce(json_agg(json_build_object('gameName', name, 'service', service,
        'bytes', bytes) ORDER BY bytes DESC, service, id), '[]') FROM top) AS "topGames"
    FROM rows`
  return row ?? { hitBytes: 0, missBytes: 0, downloads: 0, clients: 0, games: 0, topGames: [] }
}

/** Bytes by time since the event's start, in buckets of this many seconds. */
export const elapsedBuckets = (
  sql: Sql,
  scope: Scope,
  { startsAt, endsAt, seconds }: { startsAt: number; endsAt: number; seconds: number },
): Promise<BucketSums[]> => sql<BucketSums[]>`
  SELECT (floor((date_part('epoch', started_at) - ${startsAt}) / ${seconds}) * ${seconds})::float8
      AS at,
    sum(hit_bytes)::float8 AS "hitBytes", sum(miss_bytes)::float8 AS "missBytes"
  FROM (${tagged(sql, scope)}) AS rows
  WHERE started_at >= to_timestamp(${startsAt}) AND started_at <= to_timestamp(${endsAt})
  GROUP BY 1 ORDER BY 1`
