import type { Sql } from 'postgres'

/** Rows that one statement looks at. */
export const sliceRows = 5000

/** An event whose tags are not those of its time. Unix seconds, both ends included. */
export interface UntaggedEvent {
  id: number
  start: number
  end: number
}

/** The last download that was read; `at` in Unix seconds. */
export interface SliceEnd {
  at: number
  id: number
}

interface TaggedSlice {
  tagged: number
  /** Null: there is none behind `after`. */
  last: SliceEnd | null
}

export async function nextUntagged(sql: Sql): Promise<UntaggedEvent | null> {
  const [row] = await sql<UntaggedEvent[]>`
    SELECT id::float8 AS id, extract(epoch FROM start_at)::float8 AS start,
      extract(epoch FROM end_at)::float8 AS "end"
    FROM events WHERE NOT is_tagged ORDER BY id LIMIT 1`
  return row ?? null
}

/** Forgets tags that were set by themselves on downloads that began outside. Answers how many. */
export async function dropOutside(sql: Sql, { id, start, end }: UntaggedEvent): Promise<number> {
  const rows = await sql`
    DELETE FROM event_downloads WHERE id IN (
      SELECT tag.id FROM event_downloads AS tag JOIN downloads ON downloads.id = tag.download_id
      WHERE tag.event_id = ${id} AND tag.is_automatic AND NOT tag.is_removed
        AND (started_at < to_timestamp(${start}) OR started_at > to_timestamp(${end}))
      LIMIT ${sliceRows}
    ) RETURNING 1`
  return rows.length
}

/**
 * Tags the next downloads of an event's time. What has a row already keeps it, also when its tag
 * was removed by hand.
 */
export async function tagSlice(
  sql: Sql,
  { id, end }: UntaggedEvent,
  { after, now }: { after: SliceEnd; now: Date },
): Promise<TaggedSlice> {
  const [row] = await sql<{ tagged: number; at: number | null; id: number | null }[]>`
    WITH slice AS (
      SELECT id, started_at FROM downloads
      WHERE (started_at, id) > (to_timestamp(${after.at}), ${after.id}::bigint)
        AND started_at <= to_timestamp(${end})
      ORDER BY started_at, id LIMIT ${sliceRows} FOR KEY SHARE
    ), tagged AS (
      INSERT INTO event_downloads (event_id, download_id, tagged_at, is_automatic, is_removed)
      SELECT event.id, slice.id, to_timestamp(${now.getTime() / 1000}), true, false
      FROM slice, (SELECT id FROM events WHERE id = ${id} FOR KEY SHARE) AS event
      ON CONFLICT (event_id, download_id) DO NOTHING RETURNING 1
    ), last AS (SELECT id, started_at FROM slice ORDER BY started_at DESC, id DESC LIMIT 1)
    SELECT (SELECT count(*) FROM tagged)::float8 AS tagged,
      (SELECT extract(epoch FROM started_at) FROM last)::float8 AS at,
      (SELECT id FROM last)::float8 AS id`
  if (row === undefined) throw new Error('the slice did not come back')
  const { tagged, at, id: lastId } = row
  return { tagged, last: at === null || lastId === null ? null : { at, id: lastId } }
}

/** Its tags are those of these dates; other dates, and it has to be done again. */
export const markTagged = (sql: Sql, { id, start, end }: UntaggedEvent): Promise<unknown> => sql`
  UPDATE events SET is_tagged = true
  WHERE id = ${id} AND start_at = to_timestamp(${start}) AND end_at = to_timestamp(${end})`
