import type { PendingQuery, Row, Sql } from 'postgres'

/** Tags added per pass; the next pass continues. */
export const taggedPerPassMax = 10_000

/**
 * How long after its end an event still tags downloads that began inside it: they may reach the
 * history late.
 */
const graceSeconds = 86_400

/** `missing`: no such event or download. */
export type TagOutcome = 'tagged' | 'missingEvent' | 'missingDownload'

/** Tags by hand: also restores a removed tag, and takes over an automatic one. */
export async function tagDownload(
  sql: Sql,
  { eventId, downloadId, now }: { eventId: number; downloadId: number; now: Date },
): Promise<TagOutcome> {
  const at = now.getTime() / 1000
  const rows = await sql`
    INSERT INTO event_downloads AS tag (event_id, download_id, tagged_at, is_automatic, is_removed)
    SELECT events.id, downloads.id, to_timestamp(${at}), false, false FROM events, downloads
    WHERE events.id = ${eventId} AND downloads.id = ${downloadId}
    ON CONFLICT (event_id, download_id) DO UPDATE SET is_automatic = false, is_removed = false,
      tagged_at = CASE WHEN tag.is_removed THEN excluded.tagged_at ELSE tag.tagged_at END
    RETURNING 1`
  if (rows.length > 0) return 'tagged'
  const events = await sql`SELECT 1 FROM events WHERE id = ${eventId}`
  return events.length === 0 ? 'missingEvent' : 'missingDownload'
}

/** Keeps the row, so that the tag is not added again automatically. True when there was a tag. */
export async function untagDownload(
  sql: Sql,
  { eventId, downloadId }: { eventId: number; downloadId: number },
): Promise<boolean> {
  const rows = await sql`
    UPDATE event_downloads SET is_removed = true
    WHERE event_id = ${eventId} AND download_id = ${downloadId} AND NOT is_removed RETURNING 1`
  return rows.length > 0
}

interface Chosen {
  events: PendingQuery<Row[]>
  /** Of the ids behind this one; null: of all, which are read event by event. */
  after: number | null
}

/**
 * Nothing is tagged twice, what was untagged by hand stays so. Joined to all downloads, events would be
 * looked up for each of them, which took 50 times as long as reading the downloads of each event.
 */
async function tagWhere(sql: Sql, at: number, { events, after }: Chosen): Promise<number> {
  const inside = sql`started_at BETWEEN events.start_at AND events.end_at`
  const began =
    after === null
      ? sql`CROSS JOIN LATERAL (SELECT id FROM downloads WHERE ${inside} OFFSET 0) AS downloads`
      : sql`JOIN downloads ON ${inside} AND downloads.id > ${after}::bigint`
  const rows = await sql`
    INSERT INTO event_downloads (event_id, download_id, tagged_at, is_automatic, is_removed)
    SELECT events.id, downloads.id, to_timestamp(${at}), true, false
    FROM events ${began}
    WHERE ${events}
      AND NOT EXISTS (
        SELECT 1 FROM event_downloads
        WHERE event_id = events.id AND download_id = downloads.id
      )
    LIMIT ${taggedPerPassMax}
    ON CONFLICT (event_id, download_id) DO NOTHING
    RETURNING 1`
  return rows.length
}

/** Tags what began inside an event of now. */
export function tagNewDownloads(sql: Sql, now: Date): Promise<number> {
  const at = now.getTime() / 1000
  const isOfNow = sql`events.start_at <= to_timestamp(${at})
    AND events.end_at >= to_timestamp(${at - graceSeconds})`
  return tagWhere(sql, at, { events: isOfNow, after: null })
}

/**
 * Ids of downloads are microseconds of the time when they were read; rows arrive about in this order,
 * unless a backlog is read or sent.
 */
const overlap = 10_000_000

/** Where the next search for rows of past events begins. */
export async function newestDownload(sql: Sql): Promise<number> {
  const [row] = await sql<{ id: number | null }[]>`SELECT max(id)::float8 AS id FROM downloads`
  return (row?.id ?? 0) - overlap
}

/** Tags what began inside an event that has been over for longer: rows of an old log read only now. */
export function tagOldDownloads(
  sql: Sql,
  { now, after }: { now: Date } & Pick<Chosen, 'after'>,
): Promise<number> {
  const at = now.getTime() / 1000
  const isOld = sql`events.end_at < to_timestamp(${at - graceSeconds})`
  return tagWhere(sql, at, { events: isOld, after })
}
