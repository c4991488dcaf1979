import type { Fragment, Sql } from 'postgres'
import { commonTables, looseCount } from './retro-groups.ts'
import { singleOrder } from './retro-order.ts'
import type { RetroQuery } from './retro-query.ts'
import { askedRules, hitRule, isLoose } from './retro-rules.ts'

/** Rows before a page up to which it is read from the front without counting. */
const shallowRows = 500
/** Up to this many downloads of matching groups are collected group by group. */
const gatheredMax = 20_000
/** Running downloads grow while a shape is cached, which is a minute at most. */
const growthSeconds = 300

/** Number and kinds of a view's rows: the same for all of its pages. */
export interface Shape {
  depots: number
  /** Single downloads by name or service if the view is sorted by that, else all in one segment. */
  segments: { name: string; downloads: number }[]
  /** No single download has a later last byte, Unix seconds; null without any. */
  lastAt: number | null
}

/** Part of the ordered single downloads: this many of one segment, after skipping some. */
interface Window {
  name: string
  /** Groups are read one by one, because they hold few of all downloads. */
  isGathered: boolean
  isReversed: boolean
  skip: number
  take: number
}

export interface PagePlan {
  windows: Window[]
  /** Number of single downloads in the view; null when the page has to count them. */
  singles: number | null
  lastAt: number | null
  /** Rows of the windows and all depots, in order, before the page. */
  offset: number
}

export interface RetroOptions {
  /** Unix seconds; downloads with a later last byte are active. */
  activeSince: number
  /** Caches a view's shape for its other pages. */
  remember: (compute: () => Promise<Shape>) => Promise<Shape>
}

/** True when the view may contain few of all downloads. */
const isSelective = (query: RetroQuery): boolean =>
  query.search !== null || query.hideUnknown || query.titles !== null

/** True when the front of an index may hold no matches for a long stretch, or none at all. */
const isSparse = (query: RetroQuery): boolean =>
  isSelective(query) ||
  query.services !== null ||
  query.hitMiss !== 'all' ||
  (query.period.end !== null && !query.isNearEnd)

/** True when a page cannot simply be read from the front of an index. */
const needsShape = (query: RetroQuery, first: number): boolean =>
  first > shallowRows ||
  query.sort === 'alphabetical' ||
  query.sort === 'service' ||
  isSparse(query)

async function selectShape(sql: Sql, query: RetroQuery): Promise<Shape> {
  const name = { alphabetical: sql`lower(app_name)`, service: sql`service` }[query.sort as string]
  const [row] = await sql<Shape[]>`
    ${commonTables(sql, query)}, segments AS (
      SELECT ${name ?? sql`''`} AS name, sum(${looseCount(sql, query)})::float8 AS downloads
      FROM loose GROUP BY 1
    )
    SELECT (SELECT count(*) FROM depots)::float8 AS depots,
      coalesce(json_agg(json_build_object('name', name, 'downloads', downloads) ORDER BY name), '[]')
        AS segments,
      (SELECT extract(epoch FROM max(last_at)) FROM loose)::float8 AS "lastAt"
    FROM segments`
  return row ?? { depots: 0, segments: [], lastAt: null }
}

/** The parts of segments that contain the single downloads from `skip` up to, excluding, `end`. */
function windowsOf(query: RetroQuery, shape: Shape, { skip, end }: { skip: number; end: number }) {
  const isAlphabetical = query.sort === 'alphabetical'
  let before = 0
  return shape.segments.flatMap(({ name, downloads }): Window[] => {
    const from = Math.max(0, skip - before)
    const until = Math.min(downloads, end - before)
    before += downloads
    if (from >= until) return []
    const behind = downloads - until
    const isReversed = behind < from
    return [
      {
        name,
        isGathered: isAlphabetical || (isSelective(query) && downloads <= gatheredMax),
        isReversed,
        skip: isReversed ? behind : from,
        take: until - from,
      },
    ]
  })
}

/**
 * Selects the single downloads that a page may show. At most all depots of the view precede the
 * page, so all but that many of the single downloads before it are skipped.
 */
export async function planPage(
  sql: Sql,
  query: RetroQuery,
  { remember }: RetroOptions,
): Promise<PagePlan> {
  const first = (query.page - 1) * query.pageSize
  const end = first + query.pageSize
  if (!needsShape(query, first)) {
    const front = { name: '', isGathered: false, isReversed: false, skip: 0, take: end }
    return { windows: [front], singles: null, lastAt: null, offset: first }
  }
  const shape = await remember(() => selectShape(sql, query))
  const skip = Math.max(0, first - shape.depots)
  return {
    windows: windowsOf(query, shape, { skip, end }),
    singles: shape.segments.reduce((sum, { downloads }) => sum + downloads, 0),
    lastAt: shape.lastAt,
    offset: first - skip,
  }
}

/** What the order of rows is made of; every index with a single order has these columns. */
const orderColumns = (sql: Sql): Fragment => sql`
  id, service, started_at, ended_at, hit_bytes, miss_bytes`

/** A window's downloads, as far as they are needed to order them, with the name of its segment. */
function windowKeys(
  sql: Sql,
  query: RetroQuery,
  { window, lastAt }: { window: Window; lastAt: number | null },
): Fragment {
  const { name, isGathered, isReversed, skip, take } = window
  const order = singleOrder(sql, query.sort, isReversed)
  const isHit = sql`(hit_bytes >= miss_bytes AND hit_bytes > 0)`
  const { start } = query.period
  // The period's bounds on starts, applied to ends: most orders begin with those.
  const rules = sql`${isLoose(sql)} ${askedRules(sql, query)} ${hitRule(sql, query, isHit)}
    ${start === null ? sql`` : sql`AND ended_at >= to_timestamp(${start})`}
    ${lastAt === null ? sql`` : sql`AND ended_at < to_timestamp(${lastAt + growthSeconds})`}`
  if (isGathered) {
    const named = {
      alphabetical: sql`WHERE lower(app_name) = ${name}`,
      service: sql`WHERE loose.service = ${name}`,
    }[query.sort as string]
    return sql`
      SELECT ${orderColumns(sql)}, ${name} AS name FROM (SELECT found.* FROM loose CROSS JOIN LATERAL (
        SELECT ${orderColumns(sql)} FROM downloads
        WHERE title_key = loose.title_key AND client = loose.client AND service = loose.service
          AND ${rules}
        ORDER BY ${order} LIMIT ${skip + take}
      ) AS found ${named ?? sql``}) AS gathered
      ORDER BY ${order} OFFSET ${skip} LIMIT ${take}`
  }
  const found =
    query.search === null && !query.hideUnknown
      ? sql``
      : // As a CASE it stays a filter: a join would lose the order and sort every match.
        sql`AND CASE WHEN (title_key, client, service) IN
            (SELECT title_key, client, service FROM loose) THEN true ELSE false END`
  return sql`
    SELECT ${orderColumns(sql)}, ${name} AS name FROM downloads
    WHERE ${rules} ${query.sort === 'service' ? sql`AND service = ${name}` : sql``} ${found}
    ORDER BY ${order} OFFSET ${skip} LIMIT ${take}`
}

/** The single downloads that may be on the page, unordered; the page may have no window. */
export const singleKeys = (sql: Sql, query: RetroQuery, { windows, lastAt }: PagePlan): Fragment =>
  windows
    .map((window) => sql`(${windowKeys(sql, query, { window, lastAt })})`)
    .reduce(
      (all, one) => sql`${all} UNION ALL ${one}`,
      sql`SELECT ${orderColumns(sql)}, '' AS name FROM downloads WHERE false`,
    )
