import type { Fragment, Sql } from 'postgres'

/** A download with its sampled objects, as judged by the scan. */
export interface Candidate {
  id: number
  datasource: string
  tag: string
  isEvicted: boolean
  hitBytes: number
  missBytes: number
  /** `<first byte> <normalised uri>`. */
  objectKeys: string[]
}

/** Downloads judged together; also rows changed per statement. */
export const batchSize = 2000

/** The next downloads after an id that match a rule on `d`, by id. */
const next = (sql: Sql, afterId: number, rule: Fragment) => sql<Candidate[]>`
  SELECT d.id::float8 AS id, d.datasource, d.tag, d.is_evicted AS "isEvicted",
    d.hit_bytes::float8 AS "hitBytes", d.miss_bytes::float8 AS "missBytes",
    coalesce(o.object_keys, '{}') AS "objectKeys"
  FROM downloads d LEFT JOIN download_objects o ON o.download_id = d.id
  WHERE d.id > ${afterId} AND ${rule}
  ORDER BY d.id LIMIT ${batchSize}`

/** Those that ended before `endedBefore` (Unix seconds). */
export const nextCandidates = (sql: Sql, afterId: number, endedBefore: number) =>
  next(sql, afterId, sql`d.ended_at < to_timestamp(${endedBefore})`)

export const nextEvicted = (sql: Sql, afterId: number) => next(sql, afterId, sql`d.is_evicted`)

export async function countCandidates(sql: Sql, endedBefore: number): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    SELECT count(*)::float8 AS n FROM downloads WHERE ended_at < to_timestamp(${endedBefore})`
  return row?.n ?? 0
}

/** Sets the flag of these downloads; returns how many changed. */
export async function setEvicted(sql: Sql, ids: number[], isEvicted: boolean): Promise<number> {
  if (ids.length === 0) return 0
  const { count } = await sql`
    UPDATE downloads SET is_evicted = ${isEvicted}
    WHERE id = ANY(${ids}::bigint[]) AND is_evicted <> ${isEvicted}`
  return count
}

/** Deletes downloads without any record of what they fetched. Returns how many. */
export async function pruneOrphans(sql: Sql, endedBefore: number): Promise<number> {
  const { count } = await sql`
    DELETE FROM downloads WHERE id IN (
      SELECT d.id FROM downloads d LEFT JOIN download_objects o ON o.download_id = d.id
      WHERE o.download_id IS NULL AND NOT d.is_evicted
        AND d.ended_at < to_timestamp(${endedBefore})
      LIMIT ${batchSize})`
  return count
}

/** Clears one slice of the flags; returns how many were set. */
export async function resetSlice(sql: Sql): Promise<number> {
  const { count } = await sql`
    UPDATE downloads SET is_evicted = false WHERE id IN (
      SELECT id FROM downloads WHERE is_evicted LIMIT ${batchSize})`
  return count
}

/**
 * Sums keep the flags of downloads that retention has deleted, as they were then. Gives them the state
 * of what is left: of a title without evicted downloads none counts as evicted, of one with nothing
 * else all do.
 */
export const settleSums = (sql: Sql) => {
  // OFFSET keeps it a search of an index, which ends at the first row: a join would read all downloads.
  const downloads = (rule: Fragment) => sql`
    SELECT FROM downloads d WHERE d.title_key = known.title_key AND d.service = known.service AND ${rule}
    OFFSET 0`
  const evicted = sql`CASE WHEN is_gone AND kept.kind <> 0 THEN kept.downloads ELSE 0 END`
  const changed = sql`SET evicted = ${evicted} FROM states
    WHERE kept.title_key = states.title_key AND kept.service = states.service
      AND kept.evicted <> ${evicted}`
  return sql`
    WITH known AS (
      SELECT title_key, service, sum(evicted) < sum(downloads) FILTER (WHERE kind <> 0) AS is_partial
      FROM title_groups WHERE span_days = 0 GROUP BY 1, 2 HAVING sum(evicted) > 0
    ), states AS MATERIALIZED (
      SELECT title_key, service, false AS is_gone FROM known
      WHERE NOT EXISTS (${downloads(sql`d.is_evicted`)})
      UNION ALL
      SELECT title_key, service, true FROM known
      WHERE is_partial AND EXISTS (${downloads(sql`d.is_evicted`)})
        AND NOT EXISTS (${downloads(sql`NOT d.is_evicted AND d.hit_bytes + d.miss_bytes > 0`)})
    ), titles AS (UPDATE title_groups kept ${changed})
    UPDATE download_groups kept ${changed}`
}
