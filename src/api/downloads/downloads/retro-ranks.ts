import type { Fragment, Sql } from 'postgres'
import {
  blockSeconds,
  efficiencyClasses,
  efficiencyStep,
  endedBucketMax,
  sizeFloors,
} from '../../../../db/history/single-classes.ts'
import { split, type Bounds, type Period } from '../reports/range.ts'
import { inBlocks, outsidePeriods, spans } from './retro-blocks.ts'
import type { RetroQuery, RetroSort } from './retro-query.ts'
import { askedRules, isPlainView, keyRules, localhosts } from './retro-rules.ts'

/**
 * Where single downloads of an order lie. `name` is that of a title or a service; the others are
 * values from `from` up to, without, `until`: Unix seconds, bytes, or the share from the cache.
 * `best` and `worst` are the downloads that came from the cache as a whole or not at all, by end.
 */
export type Place =
  | { of: 'all' }
  | { of: 'name'; name: string }
  | ({ of: 'ended' | 'started' | 'size' | 'efficiency' | 'best' | 'worst' } & Bounds)

const daySeconds = 86_400
/** Smaller than any share that is not 0. */
const leastEfficiency = 1e-30

const endedBounds = (bucket: number): Bounds => ({
  from: bucket === 0 ? null : bucket * blockSeconds,
  until: bucket === endedBucketMax ? null : (bucket + 1) * blockSeconds,
})

function efficiencyPlace(bucket: number): Place {
  const level = Math.floor(bucket / efficiencyStep)
  if (level === 0) return { of: 'worst', ...endedBounds(bucket) }
  if (level > efficiencyClasses) return { of: 'best', ...endedBounds(bucket % efficiencyStep) }
  const from = Math.max(leastEfficiency, (level - 1) / efficiencyClasses)
  return { of: 'efficiency', from, until: level / efficiencyClasses }
}

interface Ranking {
  /** The number of the order in `single_counts`. */
  sorting: 0 | 1 | 2
  /** The class of a single download. */
  bucket: (sql: Sql) => Fragment
  place: (bucket: number) => Place
  /** Classes in the order of the view. */
  compare: (a: number, b: number) => number
}

const descending = (a: number, b: number) => b - a
const ascending = (a: number, b: number) => a - b

const byEnd: Ranking = {
  sorting: 0,
  bucket: (sql) => sql`single_ended_bucket(ended_at)`,
  place: (bucket) => ({ of: 'ended', ...endedBounds(bucket) }),
  compare: descending,
}

const bySize: Ranking = {
  sorting: 1,
  bucket: (sql) => sql`single_size_bucket(hit_bytes + miss_bytes)`,
  place: (bucket) => ({
    of: 'size',
    from: sizeFloors[bucket - 1] ?? null,
    until: sizeFloors[bucket] ?? null,
  }),
  compare: descending,
}

const byEfficiency: Ranking = {
  sorting: 2,
  bucket: (sql) => sql`single_efficiency_bucket(hit_bytes, miss_bytes, ended_at)`,
  place: efficiencyPlace,
  compare: descending,
}

const levelOf = (bucket: number) => Math.floor(bucket / efficiencyStep)

const rankings: Partial<Record<RetroSort, Ranking>> = {
  latest: byEnd,
  // Every single download counts once, so the order goes on with the ends.
  sessions: byEnd,
  oldest: {
    ...byEnd,
    // Blocks of starts are classes already.
    bucket: (sql) => sql`download_block(8, started_at)`,
    place: (block) => ({
      of: 'started',
      from: block * blockSeconds,
      until: (block + 1) * blockSeconds,
    }),
    compare: ascending,
  },
  largest: bySize,
  smallest: { ...bySize, compare: ascending },
  efficiency: byEfficiency,
  // The order goes on with the latest end whichever way round it begins.
  'efficiency-low': {
    ...byEfficiency,
    compare: (a, b) => levelOf(a) - levelOf(b) || b - a,
  },
}

/** True when `single_counts` knows how many single downloads of a view lie where. */
export const isRanked = (query: RetroQuery): boolean =>
  isPlainView(query) &&
  rankings[query.sort] !== undefined &&
  query.services === null &&
  !query.includePrefill &&
  !query.showZeroBytes

/** Single downloads of the view with a sign: `bucket, kind, downloads`. */
const signedSingles = (
  sql: Sql,
  query: RetroQuery,
  { ranking, sign, rule }: { ranking: Ranking; sign: 1 | -1; rule: Fragment },
): Fragment => sql`
  SELECT ${ranking.bucket(sql)} AS bucket, download_kind(hit_bytes, miss_bytes) AS kind,
    ${sql.unsafe(String(sign))}::bigint AS downloads
  FROM downloads WHERE ${rule} ${askedRules(sql, { ...query, part: 'loose' })}`

interface Stored {
  ranking: Ranking
  isByBlock: boolean
  span: number
  blocks: Fragment
}

/** What is stored of everybody or one client, less the clients that are left out. */
function storedCounts(sql: Sql, query: RetroQuery, stored: Stored): Fragment {
  const { ranking, isByBlock, span, blocks } = stored
  const counted = query.hidesEvicted ? sql`(downloads - evicted)` : sql`downloads`
  const rows = (sign: Fragment, clients: Fragment) => sql`
    SELECT ${isByBlock ? sql`block` : sql`bucket`} AS bucket, kind, ${sign} ${counted} AS downloads
    FROM single_counts
    WHERE span_days = ${sql.unsafe(String(span))} ${blocks}
      AND sorting = ${sql.unsafe(String(ranking.sorting))} ${clients}`
  const left = [...new Set([...query.without, ...(query.hideLocalhost ? localhosts : [])])].filter(
    (client) => query.client === null || query.client === client,
  )
  const all = rows(sql``, sql`AND client = ${query.client ?? ''}`)
  if (left.length === 0) return all
  return sql`${all} UNION ALL ${rows(sql`-`, sql`AND client = ANY(${left}::text[])`)}`
}

/** How many singles of the view lie in which class, in several rows each: `bucket, kind, downloads`. */
function counts(
  sql: Sql,
  query: RetroQuery,
  {
    ranking,
    isByBlock,
    endedBefore,
  }: { ranking: Ranking; isByBlock: boolean; endedBefore: number },
): Fragment {
  const { period, isNear } = query
  const [start, end] = [isNear.start ? null : period.start, isNear.end ? null : period.end]
  const days = isByBlock ? [8] : spans
  const isWhole = start === null && end === null
  const ladder = [...days.map((span) => span * daySeconds), null]
  const pieces = isWhole ? [] : split({ from: start, until: end === null ? null : end + 1 }, ladder)
  const singles = (sign: 1 | -1, rule: Fragment, within: Period) =>
    signedSingles(sql, { ...query, period: within }, { ranking, sign, rule })
  const stored = pieces.map(({ seconds, from, until }) =>
    seconds === null
      ? singles(1, sql`true`, { start: from, end: until === null ? null : until - 1 })
      : storedCounts(sql, query, {
          ranking,
          isByBlock,
          span: seconds / daySeconds,
          blocks: inBlocks(sql, { seconds, from, until }),
        }),
  )
  const span = isByBlock ? 8 : 0
  if (isWhole) stored.push(storedCounts(sql, query, { ranking, isByBlock, span, blocks: sql`` }))
  const active = singles(-1, sql`ended_at > to_timestamp(${endedBefore})`, { start, end })
  const ended = sql`ended_at <= to_timestamp(${endedBefore})`
  const outside = outsidePeriods(query).map((within) => singles(-1, ended, within))
  return [...stored, active, ...outside].reduce((all, part) => sql`${all} UNION ALL ${part}`)
}

/** How many singles the view has: `downloads`, `mostly_hit`. */
export const rankedLoose = (sql: Sql, query: RetroQuery, endedBefore: number): Fragment => sql`
  SELECT coalesce(sum(downloads), 0)::bigint AS downloads,
    coalesce(sum(downloads) FILTER (WHERE kind = 1), 0)::bigint AS mostly_hit
  FROM (${counts(sql, query, { ranking: byEnd, isByBlock: false, endedBefore })}) AS counts`

export interface Segment {
  place: Place
  downloads: number
}

/** How many singles of the view lie where, in its order. */
export async function rankedSegments(
  sql: Sql,
  query: RetroQuery,
  endedBefore: number,
): Promise<{ depots: number; segments: Segment[] }> {
  const ranking = rankings[query.sort] ?? byEnd
  const isByBlock = query.sort === 'oldest'
  const kind = { all: sql``, hit: sql`WHERE kind = 1`, miss: sql`WHERE kind <> 1` }[query.hitMiss]
  // As many as there ever were: that is soon known, and a page is found with any number that is
  // not too small.
  const depots = sql`
    SELECT count(*) FROM (
      SELECT DISTINCT title_key, client FROM download_groups
      WHERE span_days = 0 AND kind > 0 ${keyRules(sql, { ...query, part: 'depots' })}
    ) AS pairs`
  const [row] = await sql<{ depots: number; buckets: { bucket: number; downloads: number }[] }[]>`
    SELECT (${depots})::float8 AS depots,
      coalesce(json_agg(json_build_object('bucket', bucket, 'downloads', downloads)), '[]') AS buckets
    FROM (
      SELECT bucket, sum(downloads) AS downloads
      FROM (${counts(sql, query, { ranking, isByBlock, endedBefore })}) AS counts ${kind}
      GROUP BY bucket HAVING sum(downloads) > 0
    ) AS classes`
  const { depots: most, buckets } = row ?? { depots: 0, buckets: [] }
  const segments = buckets
    .toSorted((a, b) => ranking.compare(a.bucket, b.bucket))
    .map(({ bucket, downloads }) => ({ place: ranking.place(bucket), downloads }))
  return { depots: most, segments }
}

/** One place for two that follow each other, or null when no one place is both. */
export function joined(a: Place, b: Place): Place | null {
  if (!('from' in a) || !('from' in b) || a.of !== b.of) return null
  const isBefore = (a.from ?? -Infinity) < (b.from ?? -Infinity)
  const [first, last] = isBefore ? [a, b] : [b, a]
  return { of: a.of, from: first.from, until: last.until }
}

/** Downloads that lie there, in the words of the indexes. */
export function placeRule(sql: Sql, place: Place): Fragment {
  if (!('from' in place)) return sql``
  const { of, from, until } = place
  const between = (column: Fragment, value: (bound: number) => Fragment) => sql`
    ${from === null ? sql`` : sql`AND ${column} >= ${value(from)}`}
    ${until === null ? sql`` : sql`AND ${column} < ${value(until)}`}`
  const time = (bound: number) => sql`to_timestamp(${bound})`
  const efficiency = sql`(hit_bytes::float8 / greatest(hit_bytes + miss_bytes, 1))`
  const ended = () => between(sql`ended_at`, time)
  return {
    ended,
    started: () => between(sql`started_at`, time),
    size: () => between(sql`(hit_bytes + miss_bytes)`, (bound) => sql`${bound}::bigint`),
    efficiency: () => between(efficiency, (bound) => sql`${bound}::float8`),
    best: () => sql`AND ${efficiency} = 1 ${ended()}`,
    worst: () => sql`AND ${efficiency} = 0 ${ended()}`,
  }[of]()
}
