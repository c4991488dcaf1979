import type { Fragment, Sql } from 'postgres'
import { titleRule, type TitleRule } from './games.ts'
import { grainSeconds, type Bounds, type Grain } from './range.ts'
import type { Scope } from './scope.ts'
import type { BucketSums } from './series.ts'
import {
  clientRule,
  hourSums,
  prefillRule,
  sumColumns,
  sumRows,
  tables,
  type HourOfDaySums,
  type Sums,
  within,
} from './traffic.ts'

/** What a report is restricted to, besides its time; null for all. */
export interface Focus {
  client: string | null
  /** Log names. */
  services: readonly string[] | null
  titles: TitleRule | null
}

export const everything: Focus = { client: null, services: null, titles: null }

/** The narrowest tables with the columns of a focus. */
function tablesFor({ titles, client }: Focus, { without }: Scope) {
  const isEverybody = client === null && without.length === 0
  if (titles !== null) return isEverybody ? tables.title : tables.titleOfClients
  if (client !== null) return tables.client
  return isEverybody ? tables.service : tables.serviceOfClients
}

/** Conditions on rows that know the client, the service and the title. */
export const focusRules = (sql: Sql, { client, services, titles }: Focus): Fragment => sql`
  ${client === null ? sql`` : sql`AND client = ${client}`}
  ${services === null ? sql`` : sql`AND service = ANY(${[...services]}::text[])`}
  ${titles === null ? sql`` : titleRule(sql, titles)}`

const countedRules = (sql: Sql, scope: Scope, focus: Focus): Fragment => sql`
  ${prefillRule(sql, scope.includePrefill)} ${clientRule(sql, scope.without)}
  ${focusRules(sql, focus)}`

/**
 * Days of all clients less those of hidden ones, which are few. Bounds that these may have set are looked
 * up, and days without other traffic left out.
 */
function daysLess(sql: Sql, scope: Scope, { focus, span }: { focus: Focus; span: Bounds }) {
  const { without } = scope
  const [all, each] = [tablesFor(focus, { ...scope, without: [] }).day, tablesFor(focus, scope).day]
  const rules = countedRules(sql, { ...scope, without: [] }, focus)
  const rows = (table: string, sign: 1 | -1, whose = sql``) => sql`
    SELECT bucket_at, ${sign}::int AS sign, hit_bytes, miss_bytes, requests, downloads, first_at, last_at
    FROM ${sql(table)} WHERE true ${within(sql, 'bucket_at', span)} ${rules} ${whose}`
  const sum = (column: string) => sql`sum(sign * ${sql(column)}::float8)::bigint AS ${sql(column)}`
  const others = sql`
    FROM ${sql(each)} WHERE bucket_at = d.bucket_at ${rules} ${clientRule(sql, without)}`
  return sql`
    SELECT bucket_at, '' AS name, hit_bytes, miss_bytes, requests, downloads,
      CASE WHEN hidden_from <= first_at THEN (SELECT min(first_at) ${others}) ELSE first_at END
        AS first_at,
      CASE WHEN hidden_until >= last_at THEN (SELECT max(last_at) ${others}) ELSE last_at END AS last_at
    FROM (
      SELECT bucket_at, ${sum('hit_bytes')}, ${sum('miss_bytes')}, ${sum('requests')},
        ${sum('downloads')}, min(first_at) FILTER (WHERE sign > 0) AS first_at,
        max(last_at) FILTER (WHERE sign > 0) AS last_at,
        min(first_at) FILTER (WHERE sign < 0) AS hidden_from,
        max(last_at) FILTER (WHERE sign < 0) AS hidden_until
      FROM (
        ${rows(all, 1)} UNION ALL ${rows(each, -1, sql`AND client = ANY(${[...without]}::text[])`)}
      ) AS signed GROUP BY bucket_at HAVING sum(sign * requests) > 0
    ) AS d`
}

/** Traffic of a focus: see `sumRows`. Without `coarsest` for sums. */
const focusRows = (
  sql: Sql,
  scope: Scope,
  { focus, coarsest }: { focus: Focus; coarsest?: Grain },
): Fragment =>
  sumRows(sql, scope, {
    from: tablesFor(focus, scope),
    rules: countedRules(sql, scope, focus),
    coarsest,
    instead: (span) =>
      focus.client === null && scope.without.length > 0 && span.grain === 'day'
        ? [daysLess(sql, scope, { focus, span })]
        : null,
  })

/** Sums of a focus: one row, none without traffic. */
export const focusSums = (sql: Sql, scope: Scope, focus: Focus): Promise<Sums[]> => sql<Sums[]>`
  SELECT ${sumColumns(sql)} FROM (${focusRows(sql, scope, { focus })}) AS rows HAVING count(*) > 0`

/** Bytes per bucket of this many seconds, oldest first; buckets without traffic are omitted. */
export async function focusBuckets(
  sql: Sql,
  scope: Scope,
  options: { focus: Focus; coarsest: Grain; seconds: number },
): Promise<BucketSums[]> {
  const { seconds } = options
  return sql<BucketSums[]>`
    SELECT (floor(date_part('epoch', bucket_at) / ${seconds}) * ${seconds})::float8 AS at,
      sum(hit_bytes)::float8 AS "hitBytes", sum(miss_bytes)::float8 AS "missBytes"
    FROM (${focusRows(sql, scope, options)}) AS rows GROUP BY 1 ORDER BY 1`
}

interface DaySums extends BucketSums {
  downloads: number
  /** Unix seconds. */
  firstAt: number
  lastAt: number
}

/** The same per day (UTC), with the first and last moment and the downloads that began. */
export const focusDays = async (sql: Sql, scope: Scope, focus: Focus): Promise<DaySums[]> =>
  sql<DaySums[]>`
    SELECT (floor(date_part('epoch', bucket_at) / ${grainSeconds.day}) * ${grainSeconds.day})::float8
        AS at,
      sum(hit_bytes)::float8 AS "hitBytes", sum(miss_bytes)::float8 AS "missBytes",
      sum(downloads)::float8 AS downloads, extract(epoch FROM min(first_at))::float8 AS "firstAt",
      extract(epoch FROM max(last_at))::float8 AS "lastAt"
    FROM (${focusRows(sql, scope, { focus, coarsest: 'day' })}) AS rows GROUP BY 1 ORDER BY 1`

const groupColumns = (sql: Sql): Fragment => sql`
  title_key, service, downloads, evicted, hit_bytes, miss_bytes, timed_bytes, speed_weight, first_at,
  last_at`

/**
 * Sums over all time, by title, client and service: `client, title_key, service, downloads, evicted,
 * hit_bytes, miss_bytes, timed_bytes, speed_weight, first_at, last_at`.
 */
export const clientGroupRows = (sql: Sql, scope: Scope, focus: Focus): Fragment => sql`
  SELECT client, ${groupColumns(sql)}
  FROM download_groups WHERE span_days = 0 ${countedRules(sql, scope, focus)}`

/** The same without client, which has fewer rows where nothing restricts clients. */
export const groupRows = (sql: Sql, scope: Scope, focus: Focus): Fragment =>
  focus.client === null && scope.without.length === 0
    ? sql`
      SELECT ${groupColumns(sql)}
      FROM title_groups WHERE span_days = 0 ${countedRules(sql, scope, focus)}`
    : clientGroupRows(sql, scope, focus)

/** Sums per hour of the day in a time zone; zones with half-hour offsets need the finest rows. */
export const focusHours = (
  sql: Sql,
  scope: Scope,
  { focus, timeZone, isWholeHours }: { focus: Focus; timeZone: string; isWholeHours: boolean },
): Promise<HourOfDaySums[]> => {
  const coarsest = isWholeHours ? 'hour' : 'five'
  return hourSums(sql, focusRows(sql, scope, { focus, coarsest }), timeZone)
}
