import type { Fragment, Sql } from 'postgres'
import { commonTables, looseBlocks, looseCount } from './retro-groups.ts'
import { newestOf } from './retro-newest.ts'
import { singleOrder } from './retro-order.ts'
import { keptSingles } from './retro-period.ts'
import type { RetroQuery } from './retro-query.ts'
import { hasNoClientRule, isPlainView, keyRules } from './retro-rules.ts'
import {
  farRows,
  growthSeconds,
  isSeekable,
  singleRules,
  startOf,
  type Block,
  type Start,
} from './retro-seek.ts'

/** Rows before a page up to which it is read from the front without counting. */
const shallowRows = 500
/** Up to this many downloads of matching groups are collected group by group. */
const gatheredMax = 20_000

/** Number and kinds of a view's rows: the same for all of its pages. */
export interface Shape {
  /** No fewer than the depots' rows. */
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
  /** Where a far window begins; null: at the first row of its order. */
  start: Start | null
}

export interface PagePlan {
  windows: Window[]
  /** Number of single downloads in the view; null when the page has to count them. */
  singles: number | null
  lastAt: number | null
  /** Rows of the windows and all depots, in order, before the page. */
  offset: number
  /** The depots that may be on the page; null: all of them. */
  depots: RetroQuery['depots']
}

export interface RetroOptions {
  /** Unix seconds; downloads with a later last byte are active. */
  activeSince: number
  /** Caches what is the same for all pages of a view. */
  remember: <T>(what: 'shape' | 'blocks', compute: () => Promise<T>) => Promise<T>
  /** Rows before a window from which on it begins at a block. */
  farRows?: number
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

/** At most as many depots are in a view as there are for all time, unless names are searched. */
const depotsMax = (sql: Sql, query: RetroQuery): Fragment =>
  isPlainView(query)
    ? sql`SELECT count(*) FROM (
        SELECT DISTINCT title_key, client FROM download_groups
        WHERE span_days = 0 ${keyRules(sql, { ...query, part: 'depots' })}
      ) AS depots`
    : sql`SELECT count(*) FROM depots`

async function selectShape(sql: Sql, query: RetroQuery): Promise<Shape> {
  const name = { alphabetical: sql`lower(app_name)`, service: sql`service` }[query.sort as string]
  const [row] = await sql<Shape[]>`
    ${commonTables(sql, query)}, segments AS (
      SELECT ${name ?? sql`''`} AS name, sum(${looseCount(sql, query)})::float8 AS downloads
      FROM loose GROUP BY 1
    )
    SELECT (${depotsMax(sql, query)})::float8 AS depots,
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
        start: null,
      },
    ]
  })
}

/** Blocks of some titles and clients are added up from so many more rows. */
const titleCost = 20

/** Windows that are far from their end of the order begin at a block. */
async function withStarts(
  sql: Sql,
  query: RetroQuery,
  windows: Window[],
  { remember, farRows: far = farRows }: RetroOptions,
): Promise<Window[]> {
  const least = query.titles === null || hasNoClientRule(query) ? far : far * titleCost
  const isFar = ({ isGathered, skip }: Window) => !isGathered && skip >= least
  if (!isSeekable(query) || !windows.some(isFar)) return windows
  const blocks = await remember('blocks', async () => [
    ...(await sql<Block[]>`${looseBlocks(sql, query)}`),
  ])
  const begun: Window[] = []
  for (const window of windows) {
    begun.push(
      isFar(window) ? { ...window, start: await startOf(sql, query, window, blocks) } : window,
    )
  }
  return begun
}

/**
 * Selects the single downloads that a page may show. At most all depots of the view precede the
 * page, so all but that many of the single downloads before it are skipped.
 */
export async function planPage(
  sql: Sql,
  query: RetroQuery,
  options: RetroOptions,
): Promise<PagePlan> {
  const first = (query.page - 1) * query.pageSize
  const end = first + query.pageSize
  const newest = first > shallowRows ? null : await newestOf(sql, query, end)
  if (newest !== null || !needsShape(query, first)) {
    const start = newest === null ? null : { skip: 0, rule: newest.rule }
    const front = { name: '', isGathered: false, isReversed: false, skip: 0, take: end, start }
    const depots = newest?.depots ?? null
    return { windows: [front], singles: null, lastAt: null, offset: first, depots }
  }
  const shape = await options.remember('shape', () => selectShape(sql, query))
  const skip = Math.max(0, first - shape.depots)
  return {
    windows: await withStarts(sql, query, windowsOf(query, shape, { skip, end }), options),
    singles: shape.segments.reduce((sum, { downloads }) => sum + downloads, 0),
    lastAt: shape.lastAt,
    offset: first - skip,
    depots: null,
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
  const { name, isGathered, isReversed, take, start: begin } = window
  const skip = begin?.skip ?? window.skip
  const order = singleOrder(sql, query.sort, isReversed)
  const { start } = keptSingles(query)
  // The period's bounds on starts, applied to ends: most orders begin with those.
  const rules = sql`${singleRules(sql, query)} ${begin?.rule(sql) ?? sql``}
    ${start === null ? sql`` : sql`AND ended_at >= to_timestamp(${start})`}
    ${lastAt === null ? sql`` : sql`AND ended_at < to_timestamp(${lastAt + growthSeconds})`}`
  if (isGathered) {
    const named = {
      alphabetical: sql`WHERE lower(app_name) = ${name}`,
      service: sql`WHERE loose.service = ${name}`,
    }[query.sort as string]
    const ofClient = isPlainView(query) ? sql`` : sql`AND client = loose.client`
    return sql`
      SELECT ${orderColumns(sql)}, ${name} AS name FROM (SELECT found.* FROM loose CROSS JOIN LATERAL (
        SELECT ${orderColumns(sql)} FROM downloads
        WHERE title_key = loose.title_key AND service = loose.service ${ofClient}
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
