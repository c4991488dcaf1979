import type { Fragment, Sql } from 'postgres'
import { appName, commonTables, looseCount, names } from './retro-groups.ts'
import type { RetroQuery } from './retro-query.ts'
import {
  isRanked,
  joined,
  placeRule,
  rankedSegments,
  type Place,
  type Segment,
} from './retro-ranks.ts'
import { hitRule, isLoose, memberRules } from './retro-rules.ts'
import { singleOrder } from './retro-sql.ts'

/** Rows before a page up to which it is read from the front without counting first. */
const shallowRows = 500
/** Up to so many downloads of found groups are gathered group by group. */
const gatheredMax = 20_000

/** How many rows a view has, and of which kinds: the same for all of its pages. */
export interface Shape {
  /** At most so many rows are depots. */
  depots: number
  /** Single downloads in the order of the view. */
  segments: Segment[]
  /** No single download ended later, Unix seconds; null when that is not known. */
  lastAt: number | null
}

/** A part of the singles in their order: so many of one place after so many others. */
interface Window {
  place: Place
  /** Groups are read one by one, because few of all downloads are in them. */
  isGathered: boolean
  isReversed: boolean
  skip: number
  take: number
}

export interface PagePlan {
  windows: Window[]
  /** How many single downloads the view has; null when the page has to count them. */
  singles: number | null
  /** See `Shape`. */
  lastAt: number | null
  /** Rows of the windows and all depots, in order, before the page. */
  offset: number
}

const firstRow = (query: RetroQuery) => (query.page - 1) * query.pageSize

/** True when few of all downloads may be in the view. */
const isSelective = (query: RetroQuery): boolean =>
  query.search !== null || query.hideUnknown || query.titles !== null

/** True when the front of an index may hold nothing of the view for a long way, or nowhere. */
const isSparse = (query: RetroQuery): boolean =>
  query.services !== null ||
  query.hitMiss !== 'all' ||
  (query.period.end !== null && !query.isNear.end)

/** True when a page cannot simply be read from the front of an index. */
const needsShape = (query: RetroQuery): boolean =>
  firstRow(query) > shallowRows ||
  query.sort === 'alphabetical' ||
  query.sort === 'service' ||
  isSelective(query) ||
  isSparse(query)

async function selectShape(sql: Sql, query: RetroQuery, endedBefore: number): Promise<Shape> {
  if (isRanked(query)) return { ...(await rankedSegments(sql, query, endedBefore)), lastAt: null }
  const isSegmented = query.sort === 'alphabetical' || query.sort === 'service'
  const segment =
    { alphabetical: sql`lower(app_name)`, service: sql`service` }[query.sort as string] ?? sql`''`
  const [row] = await sql<
    { depots: number; lastAt: number | null; segments: { name: string; downloads: number }[] }[]
  >`
    ${commonTables(sql, query, endedBefore)}, segments AS (
      SELECT ${segment} AS name, sum(${looseCount(sql, query)})::float8 AS downloads
      FROM loose GROUP BY 1
    )
    SELECT (SELECT count(*) FROM depots)::float8 AS depots,
      coalesce(json_agg(json_build_object('name', name, 'downloads', downloads) ORDER BY name), '[]')
        AS segments,
      (SELECT extract(epoch FROM max(last_at)) FROM loose)::float8 AS "lastAt"
    FROM segments`
  const { depots, segments, lastAt } = row ?? { depots: 0, segments: [], lastAt: null }
  return {
    depots,
    lastAt,
    segments: segments.map(({ name, downloads }) => ({
      place: isSegmented ? { of: 'name', name } : { of: 'all' },
      downloads,
    })),
  }
}

/** Singles of one place, of which some are before a page and some on it. */
interface Touched extends Segment {
  skip: number
  take: number
}

/** The parts of segments that `[skip, skip + take)` of all singles touches; neighbours as one. */
function touched(segments: readonly Segment[], { skip, take }: { skip: number; take: number }) {
  const parts: Touched[] = []
  let before = 0
  for (const { place, downloads } of segments) {
    const from = Math.max(0, skip - before)
    const until = Math.min(downloads, skip + take - before)
    before += downloads
    if (from >= until) continue
    const last = parts.at(-1)
    const both = last === undefined ? null : joined(last.place, place)
    if (last === undefined || both === null) {
      parts.push({ place, downloads, skip: from, take: until - from })
    } else {
      last.place = both
      last.downloads += downloads
      last.take += until
    }
  }
  return parts
}

function windowsOf(
  query: RetroQuery,
  shape: Shape,
  wanted: { skip: number; take: number },
): Window[] {
  const isAlphabetical = query.sort === 'alphabetical'
  const isGatherable = isSelective(query) || isAlphabetical
  return touched(shape.segments, wanted).map(({ place, downloads, skip, take }) => {
    const behind = downloads - skip - take
    const isReversed = behind < skip
    return {
      place,
      isGathered: isGatherable && (isAlphabetical || downloads <= gatheredMax),
      isReversed,
      skip: isReversed ? behind : skip,
      take,
    }
  })
}

export interface RetroOptions {
  /** Unix seconds; what ended later is active. */
  endedBefore: number
  /** Keeps the shape of a view for its other pages. */
  remember: (compute: () => Promise<Shape>) => Promise<Shape>
}

/**
 * Which singles can be on a page: those whose place among the singles is at most the number of
 * depots before the page, since no more depots than that can stand in front of them.
 */
export async function planPage(
  sql: Sql,
  query: RetroQuery,
  { endedBefore, remember }: RetroOptions,
): Promise<PagePlan> {
  const first = firstRow(query)
  const end = first + query.pageSize
  if (!needsShape(query)) {
    const place: Place = { of: 'all' }
    const whole = { place, isGathered: false, isReversed: false, skip: 0, take: end }
    return { windows: [whole], offset: first, singles: null, lastAt: null }
  }
  const shape = await remember(() => selectShape(sql, query, endedBefore))
  const skip = Math.max(0, first - shape.depots)
  const windows = windowsOf(query, shape, { skip, take: end - skip })
  const singles = shape.segments.reduce((sum, { downloads }) => sum + downloads, 0)
  return { windows, offset: first - skip, singles, lastAt: shape.lastAt }
}

/** What the order of a view is made of: `id, ended_at`, and what it begins with. */
function orderColumns(sql: Sql, { sort }: RetroQuery): Fragment {
  const isBySize = sort === 'largest' || sort === 'smallest'
  const isByBytes = isBySize || sort === 'efficiency' || sort === 'efficiency-low'
  return sql`id, ended_at, ${sort === 'oldest' ? sql`started_at` : sql`NULL::timestamptz AS started_at`},
    ${isByBytes ? sql`hit_bytes, miss_bytes` : sql`NULL::bigint AS hit_bytes, NULL::bigint AS miss_bytes`},
    ${sort === 'service' ? sql`service` : sql`NULL::text AS service`}`
}

/** The downloads of a window as far as their order goes. Skipping happens in the index. */
function windowRows(
  sql: Sql,
  query: RetroQuery,
  { window, lastAt, endedBefore }: { window: Window; lastAt: number | null; endedBefore: number },
): Fragment {
  const { place, isGathered, isReversed, skip, take } = window
  const order = singleOrder(sql, query.sort, isReversed)
  const isHit = sql`(hit_bytes >= miss_bytes AND hit_bytes > 0)`
  const { start } = query.period
  // What the period says of starts, said of ends: that is what most orders begin with.
  const rules = sql`${isLoose(sql)} ${memberRules(sql, query, endedBefore)}
    ${hitRule(sql, query, isHit)} ${placeRule(sql, place)}
    ${start === null ? sql`` : sql`AND ended_at >= to_timestamp(${start})`}
    ${lastAt === null ? sql`` : sql`AND ended_at < to_timestamp(${lastAt + 1})`}`
  if (isGathered) {
    const column = query.sort === 'service' ? sql`loose.service` : sql`lower(app_name)`
    const named = place.of === 'name' ? sql`WHERE ${column} = ${place.name}` : sql``
    return sql`
      SELECT id, ended_at, started_at, hit_bytes, miss_bytes, service, app_name
      FROM (SELECT found.*, loose.service, app_name FROM loose CROSS JOIN LATERAL (
        SELECT id, started_at, ended_at, hit_bytes, miss_bytes FROM downloads
        WHERE title_key = loose.title_key AND client = loose.client AND service = loose.service
          AND ${rules}
        ORDER BY ${order} LIMIT ${skip + take}
      ) AS found ${named}) AS gathered
      ORDER BY ${order} OFFSET ${skip} LIMIT ${take}`
  }
  const found =
    query.search === null && !query.hideUnknown
      ? sql``
      : // As a CASE it stays a filter: a join would lose the order and sort everything it finds.
        sql`AND CASE WHEN (title_key, client, service) IN
            (SELECT title_key, client, service FROM loose) THEN true ELSE false END`
  const ofService = place.of === 'name' ? sql`AND service = ${place.name}` : sql``
  return sql`
    SELECT ${orderColumns(sql, query)}, NULL::text AS app_name
    FROM downloads WHERE ${rules} ${ofService} ${found}
    ORDER BY ${order} OFFSET ${skip} LIMIT ${take}`
}

/**
 * Single downloads of the windows, with the columns that rows are ordered by: `id, ended_at,
 * started_at, hit_bytes, miss_bytes, service, app_name`.
 */
export const windows = (
  sql: Sql,
  query: RetroQuery,
  { plan, endedBefore }: { plan: PagePlan; endedBefore: number },
): Fragment =>
  plan.windows
    .map((window) => sql`(${windowRows(sql, query, { window, lastAt: plan.lastAt, endedBefore })})`)
    .reduce(
      (all, one) => sql`${all} UNION ALL ${one}`,
      sql`SELECT NULL::bigint AS id, NULL::timestamptz AS ended_at, NULL::timestamptz AS started_at,
        NULL::bigint AS hit_bytes, NULL::bigint AS miss_bytes, NULL::text AS service,
        NULL::text AS app_name WHERE false`,
    )

/**
 * Single downloads with all columns of `depots`. The ids as an array, because the planner cannot
 * know how few they are and would look for the name of each one by itself.
 */
export const singles = (sql: Sql, ids: Fragment): Fragment => sql`
  SELECT downloads.id, service, client, ${appName(sql)} AS app_name, app_id, beta_app_id,
    1::bigint AS downloads, is_evicted::int::bigint AS evicted, hit_bytes, miss_bytes,
    CASE WHEN ended_at > started_at THEN hit_bytes + miss_bytes ELSE 0 END AS timed_bytes,
    coalesce((hit_bytes + miss_bytes)::float8 * (hit_bytes + miss_bytes)
      / nullif(date_part('epoch', ended_at - started_at), 0), 0) AS speed_weight,
    started_at AS first_at, ended_at AS last_at, title_key, datasource
  FROM unnest(ARRAY(${ids})) AS wanted(id) JOIN downloads USING (id)
  LEFT JOIN ${names(sql)} AS t ON named_key = title_key`

/**
 * Downloads after a period up to which it is read without an end, less those: what they set as the
 * latest moment of a group is found with one look. The earliest is not, so before a period nothing
 * may lie.
 */
const afterMax = 300

/**
 * Looks at which ends of its period a view leaves out nothing, or only few downloads. An end that
 * leaves out nothing is no end: rows need not be looked at for it.
 */
export async function withNearEnds(sql: Sql, query: RetroQuery): Promise<RetroQuery> {
  const { start, end } = query.period
  if (query.eventId !== null || (start === null && end === null)) return query
  // In the order of the index: the planner would rather read the table until it finds enough.
  const some = (outside: Fragment, max: number) => sql`(
    SELECT count(*)::int FROM (SELECT 1 FROM downloads ${outside} LIMIT ${max + 1}::int) AS outside
  )`
  const before = (at: number) =>
    some(sql`WHERE started_at < to_timestamp(${at}) ORDER BY started_at, id`, 0)
  const after = (at: number) =>
    some(sql`WHERE started_at >= to_timestamp(${at}) ORDER BY started_at DESC, id DESC`, afterMax)
  const [outside] = await sql<{ before: number; after: number }[]>`
    SELECT ${start === null ? sql`0` : before(start)} AS before,
      ${end === null ? sql`0` : after(end + 1)} AS after`
  if (outside === undefined) return query
  return {
    ...query,
    period: {
      start: outside.before === 0 ? null : start,
      end: outside.after === 0 ? null : end,
    },
    isNear: { start: false, end: outside.after > 0 && outside.after <= afterMax },
  }
}
