import type { Sql } from 'postgres'
import { type Period, utc } from '../../downloads/contract.ts'
import type { SizePoint } from './growth.ts'
import type { CacheHistory, CacheSnapshot } from './model.ts'

/** Points per answer. */
export const historyPointsMax = 2000
/** Rows deleted per statement. */
const removedMax = 10_000

export const noSnapshot: CacheSnapshot = {
  hasData: false,
  startUsedSize: 0,
  endUsedSize: 0,
  averageUsedSize: 0,
  totalCacheSize: 0,
  snapshotCount: 0,
  isEstimate: false,
}

/** Size of the cache over a closed period; from the previous snapshot when it has none. */
export async function snapshotOf(sql: Sql, { start, end }: Period): Promise<CacheSnapshot> {
  if (start === null || end === null) return noSnapshot
  const [row] = await sql<Omit<CacheSnapshot, 'hasData' | 'isEstimate'>[]>`
    WITH inside AS (
      SELECT * FROM cache_snapshots
      WHERE taken_at >= to_timestamp(${start}) AND taken_at < to_timestamp(${end + 1})
    ), before AS (
      SELECT * FROM cache_snapshots WHERE taken_at < to_timestamp(${start})
      ORDER BY taken_at DESC LIMIT 1
    ), chosen AS (
      SELECT * FROM inside UNION ALL SELECT * FROM before WHERE NOT EXISTS (SELECT 1 FROM inside)
    )
    SELECT count(*)::float8 AS "snapshotCount", round(avg(used_bytes))::float8 AS "averageUsedSize",
      ((array_agg(used_bytes ORDER BY taken_at))[1])::float8 AS "startUsedSize",
      ((array_agg(used_bytes ORDER BY taken_at DESC))[1])::float8 AS "endUsedSize",
      ((array_agg(total_bytes ORDER BY taken_at DESC))[1])::float8 AS "totalCacheSize"
    FROM chosen`
  if (row === undefined || row.snapshotCount === 0) return noSnapshot
  return { hasData: true, ...row, isEstimate: row.snapshotCount < 2 }
}

/** Every measured size of that time, oldest first, one per hour at most. */
export async function sizesSince(sql: Sql, since: Date, until: Date): Promise<SizePoint[]> {
  return sql<SizePoint[]>`
    SELECT DISTINCT ON (date_trunc('hour', taken_at))
      extract(epoch FROM taken_at)::float8 AS at, used_bytes::float8 AS "usedBytes"
    FROM cache_snapshots
    WHERE taken_at BETWEEN ${since.toISOString()} AND ${until.toISOString()}
    ORDER BY date_trunc('hour', taken_at), taken_at`
}

/** The last size of each interval, oldest first; intervals grow until all of them fit. */
export async function historyOf(
  sql: Sql,
  { start, end }: { start: number; end: number },
): Promise<CacheHistory> {
  const inside = sql`taken_at >= to_timestamp(${start}) AND taken_at < to_timestamp(${end + 1})`
  const [kept] = await sql<{ count: number; first: number | null; last: number | null }[]>`
    SELECT count(*)::float8 AS count, extract(epoch FROM min(taken_at))::float8 AS first,
      extract(epoch FROM max(taken_at))::float8 AS last
    FROM cache_snapshots WHERE ${inside}`
  const isThinned = kept !== undefined && kept.count > historyPointsMax
  const span = (kept?.last ?? 0) - (kept?.first ?? 0)
  const bucketSeconds = isThinned ? Math.ceil((span + 1) / (historyPointsMax - 1)) : 1
  const rows = await sql<{ at: number; usedBytes: number; totalBytes: number }[]>`
    SELECT DISTINCT ON (bucket) at, used_bytes::float8 AS "usedBytes",
      total_bytes::float8 AS "totalBytes"
    FROM (
      SELECT extract(epoch FROM taken_at)::float8 AS at, used_bytes, total_bytes,
        floor(extract(epoch FROM taken_at) / ${bucketSeconds}) AS bucket
      FROM cache_snapshots WHERE ${inside}
    ) AS sizes
    ORDER BY bucket, at DESC LIMIT ${historyPointsMax}`
  const items = rows.map(({ at, ...sizes }) => ({ takenAt: utc(at), ...sizes }))
  return { items, isThinned, bucketSeconds: isThinned ? bucketSeconds : 0 }
}

export interface MeasuredSize {
  at: Date
  usedBytes: number
  totalBytes: number
}

/** Stores one size; an existing one for that time is kept. */
export async function addSnapshot(sql: Sql, { at, usedBytes, totalBytes }: MeasuredSize) {
  const ratio = totalBytes > 0 ? usedBytes / totalBytes : 0
  await sql`
    INSERT INTO cache_snapshots (taken_at, used_bytes, total_bytes, used_ratio)
    VALUES (${at.toISOString()}, ${usedBytes}, ${totalBytes}, ${ratio})
    ON CONFLICT DO NOTHING`
}

/** Deletes older rows in slices; returns how many. */
export async function removeBefore(sql: Sql, before: Date): Promise<number> {
  let removed = 0
  for (;;) {
    const { count } = await sql`
      DELETE FROM cache_snapshots WHERE taken_at IN (
        SELECT taken_at FROM cache_snapshots WHERE taken_at < ${before.toISOString()}
        ORDER BY taken_at LIMIT ${removedMax}
      )`
    removed += count
    if (count < removedMax) return removed
  }
}
