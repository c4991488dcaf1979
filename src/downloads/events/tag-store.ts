import type { Sql } from 'postgres'

/** Tags made by one pass; what is left over is for the next one. */
export const taggedPerPassMax = 10_000

/**
 * For how long after its end an event still takes in downloads that began inside it: they may reach
 * the history late.
 */
const graceSeconds = 86_400

/** `missing`: there is no such event or download. */
export type TagOutcome = 'tagged' | 'missingEvent' | 'missingDownload'

/** Tags by hand: also what was removed before, and what was tagged by itself. */
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

/** The row stays, so that the tag does not come back by itself. True when there was a tag. */
export async function untagDownload(
  sql: Sql,
  { eventId, downloadId }: { eventId: number; downloadId: number },
): Promise<boolean> {
  const rows = await sql`
    UPDATE event_downloads SET is_removed = true
    WHERE event_id = ${eventId} AND download_id = ${downloadId} AND NOT is_removed RETURNING 1`
  return rows.length > 0
}

/**
 * Tags what began inside an event since it was made. Nothing is tagged twice, what was untagged by
 * hand stays so. The log knows whole seconds, so the second of the creation counts.
 */
export async function tagNewDownloads(sql: Sql, now: Date): Promise<number> {
  const at = now.getTime() / 1000
  const rows = await sql`
    INSERT INTO event_downloads (event_id, download_id, tagged_at, is_automatic, is_removed)
    SELECT events.id, downloads.id, to_timestamp(${at}), true, false
    FROM events JOIN downloads
      ON downloads.started_at >= greatest(events.start_at, date_trunc('second', events.created_at))
      AND downloads.started_at <= events.end_at
    WHERE events.start_at <= to_timestamp(${at})
      AND events.end_at >= to_timestamp(${at - graceSeconds})
      AND NOT EXISTS (
        SELECT 1 FROM event_downloads
        WHERE event_id = events.id AND download_id = downloads.id
      )
    LIMIT ${taggedPerPassMax}
    ON CONFLICT (event_id, download_id) DO NOTHING
    RETURNING 1`
  return rows.length
}
