import type { Fragment, Sql } from 'postgres'
import { failureCode } from '../../../db/history/failures.ts'
import { failedSpans, firstFreeId } from '../../engines/shipper/contract.ts'
import { openDownloads } from '../../engines/shipper/link.ts'
import { partitionsBefore } from '../../engines/shipper/partitions.ts'

/** How long dropping a partition waits for reports: everything that comes later waits behind it. */
const lockWaitMs = 500

/** Downloads recorded since then may still be read from old logs: their next state would be stored anew. */
const readingMs = 24 * 3_600_000

/** Before `until` (Unix seconds), as of `now` (milliseconds). */
export interface Age {
  until: number
  now: number
}

/**
 * Downloads that retention deletes: those of events stay. Once the clock was ahead, ids are, until it
 * has caught up: then the positions say which downloads are open.
 */
const isOld = (sql: Sql, { until, now }: Age): Fragment => sql`
  started_at < to_timestamp(${until})
    AND id NOT BETWEEN ${firstFreeId(0, now - readingMs, 0)} AND ${firstFreeId(0, now, 0)}
    AND id NOT IN (${openDownloads(sql)})
    AND NOT EXISTS (
      SELECT 1 FROM event_downloads WHERE download_id = downloads.id AND NOT is_removed)`

export interface OldRows {
  downloads: number
  /** Partitions of five-minute traffic. */
  partitions: string[]
  /** About what they take on disk. */
  bytes: number
}

/** What retention deletes. */
export async function oldRows(sql: Sql, age: Age): Promise<OldRows> {
  const partitions = await partitionsBefore(sql, age.until)
  const [row] = await sql<{ downloads: number; bytes: number }[]>`
    SELECT old.downloads::float8 AS downloads, (
      old.downloads / greatest(
          (SELECT reltuples FROM pg_class WHERE oid = 'downloads'::regclass), old.downloads, 1)
        * (pg_total_relation_size('downloads') + pg_total_relation_size('download_objects'))
      + coalesce((SELECT sum(pg_total_relation_size(name::regclass))
          FROM unnest(${partitions}::text[]) AS name), 0))::float8 AS bytes
    FROM (SELECT count(*) AS downloads FROM downloads WHERE ${isOld(sql, age)}) AS old`
  return { downloads: row?.downloads ?? 0, partitions, bytes: Math.round(row?.bytes ?? 0) }
}

/** Where the next batch begins, Unix seconds, and what this one deleted. */
export interface Deleted {
  downloads: number
  from: number
}

/** Deletes the oldest downloads that began at `from` or later; sums keep what they have. */
export async function deleteBatch(
  sql: Sql,
  { from, size, ...age }: Age & { from: number; size: number },
): Promise<Deleted> {
  const [row] = await sql.begin(async (transaction) => {
    // Where Citus spreads the tables, their triggers run on other machines, which have to know it as well.
    await transaction`
      SELECT set_config('citus.propagate_set_commands', 'local', true)
      WHERE current_setting('citus.propagate_set_commands', true) IS NOT NULL`
    await transaction`SELECT set_config('larder.keeps_sums', 'on', true)`
    return transaction<Deleted[]>`
      WITH gone AS (
        DELETE FROM downloads WHERE id = ANY(ARRAY(
          SELECT id FROM downloads
          WHERE started_at >= to_timestamp(${from}) AND ${isOld(sql, age)}
          ORDER BY started_at, id LIMIT ${size}))
        RETURNING started_at
      )
      SELECT count(*)::float8 AS downloads,
        coalesce(extract(epoch FROM max(started_at)), 0)::float8 AS from FROM gone`
  })
  return row ?? { downloads: 0, from: age.until }
}

/**
 * Adds up failed requests of five minutes in the first row of their hour: reports read no finer ones
 * of the time before `until`, Unix seconds, and there are none by hour.
 */
export const mergeFailed = (sql: Sql, until: number) => sql`
  WITH fine AS (
    DELETE FROM failed_requests WHERE span_seconds = ${failedSpans.five}
      AND bucket_at < to_timestamp(${until}) AND bucket_at <> date_trunc('hour', bucket_at, 'UTC')
    RETURNING *
  )
  INSERT INTO failed_requests AS kept
    (span_seconds, bucket_at, datasource, service, client, is_prefill, requests)
  SELECT span_seconds, date_trunc('hour', bucket_at, 'UTC'), datasource, service, client, is_prefill,
    sum(requests)::bigint
  FROM fine GROUP BY 1, 2, 3, 4, 5, 6
  ON CONFLICT ON CONSTRAINT failed_requests_key DO UPDATE SET requests = kept.requests + excluded.requests`

const lockTimedOut = '55P03'

/** Drops a partition of five-minute traffic; what was summed from it stays. False: it is being read. */
export async function dropPartition(sql: Sql, name: string): Promise<boolean> {
  try {
    await sql.begin(async (transaction) => {
      await transaction`SELECT set_config('lock_timeout', ${String(lockWaitMs)}, true)`
      await transaction`DROP TABLE IF EXISTS ${sql(name)}`
    })
    return true
  } catch (error) {
    if (failureCode(error) !== lockTimedOut) throw error
    return false
  }
}

/** The instant since which everything is kept, Unix seconds; null: nothing was deleted by age. */
export async function readKeptSince(sql: Sql): Promise<number | null> {
  const [row] = await sql<{ since: string | null }[]>`
    SELECT substring(obj_description('traffic'::regclass) FROM '^kept since (.*)$') AS since`
  return typeof row?.since === 'string' ? Date.parse(row.since) / 1000 : null
}

/** A comment, so that the history says it to whoever reads it; emptying the history removes it. */
export const writeKeptSince = (sql: Sql, since: number) =>
  sql.unsafe(`COMMENT ON TABLE traffic IS 'kept since ${new Date(since * 1000).toISOString()}'`)
