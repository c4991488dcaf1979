import type { Sql } from 'postgres'
import { utc } from '../reports/numbers.ts'
import type { CalendarEvent } from './model.ts'
import { usualColor, type WantedEvent } from './rules.ts'

/** Events per answer, the newest. */
export const eventsMax = 5000

interface EventRow {
  id: number
  name: string
  description: string | null
  startAt: number
  endAt: number
  startTimeLocal: string
  endTimeLocal: string
  colorIndex: number
  createdAt: number
  updatedAt: number | null
}

function eventOf({ startAt, endAt, createdAt, updatedAt, ...rest }: EventRow): CalendarEvent {
  return {
    ...rest,
    startTimeUtc: utc(startAt),
    endTimeUtc: utc(endAt),
    createdAtUtc: utc(createdAt),
    updatedAtUtc: updatedAt === null ? null : utc(updatedAt),
    eventDownloads: [],
  }
}

const columns = (sql: Sql) => sql`
  id::float8 AS id, name, description, extract(epoch FROM start_at)::float8 AS "startAt",
  extract(epoch FROM end_at)::float8 AS "endAt", start_local AS "startTimeLocal",
  end_local AS "endTimeLocal", color_index AS "colorIndex",
  extract(epoch FROM created_at)::float8 AS "createdAt",
  extract(epoch FROM updated_at)::float8 AS "updatedAt"`

/** Newest start first. */
export async function listEvents(sql: Sql): Promise<CalendarEvent[]> {
  const rows = await sql<EventRow[]>`
    SELECT ${columns(sql)} FROM events ORDER BY start_at DESC, id DESC LIMIT ${eventsMax}`
  return rows.map(eventOf)
}

/** Events that overlap the period, by start. Unix seconds, both ends inclusive. */
export async function eventsWithin(
  sql: Sql,
  { start, end }: { start: number; end: number },
): Promise<CalendarEvent[]> {
  const rows = await sql<EventRow[]>`
    SELECT ${columns(sql)} FROM events
    WHERE start_at <= to_timestamp(${end}) AND end_at >= to_timestamp(${start})
    ORDER BY start_at, id LIMIT ${eventsMax}`
  return rows.map(eventOf)
}

export async function findEvent(sql: Sql, id: number): Promise<CalendarEvent | null> {
  const [row] = await sql<EventRow[]>`SELECT ${columns(sql)} FROM events WHERE id = ${id}`
  return row === undefined ? null : eventOf(row)
}

/** The event that began last before another. */
export async function eventBefore(
  sql: Sql,
  { id, startTimeUtc }: CalendarEvent,
): Promise<CalendarEvent | null> {
  const [row] = await sql<EventRow[]>`
    SELECT ${columns(sql)} FROM events
    WHERE (start_at, id) < (${startTimeUtc}::timestamptz, ${id}::bigint)
    ORDER BY start_at DESC, id DESC LIMIT 1`
  return row === undefined ? null : eventOf(row)
}

export async function insertEvent(sql: Sql, event: WantedEvent, now: Date): Promise<CalendarEvent> {
  const { name, description, startLocal, endLocal } = event
  const at = now.getTime() / 1000
  // What has not begun has nothing to be tagged.
  const isTagged = event.startTime > at
  const [row] = await sql<EventRow[]>`
    INSERT INTO events
      (name, description, start_at, end_at, start_local, end_local, color_index, created_at,
        is_tagged)
    VALUES (${name}, ${description}, to_timestamp(${event.startTime}),
      to_timestamp(${event.endTime}), ${startLocal}, ${endLocal},
      ${event.colorIndex ?? usualColor}, to_timestamp(${at}), ${isTagged})
    RETURNING ${columns(sql)}`
  if (row === undefined) throw new Error('the new event did not come back')
  return eventOf(row)
}

/** Null when there is no such event. */
export async function updateEvent(
  sql: Sql,
  { id, event, now }: { id: number; event: WantedEvent; now: Date },
): Promise<CalendarEvent | null> {
  const [row] = await sql<EventRow[]>`
    UPDATE events SET name = ${event.name}, description = ${event.description},
      start_at = to_timestamp(${event.startTime}), end_at = to_timestamp(${event.endTime}),
      start_local = ${event.startLocal}, end_local = ${event.endLocal},
      color_index = coalesce(${event.colorIndex}::smallint, color_index),
      updated_at = to_timestamp(${now.getTime() / 1000}),
      is_tagged = is_tagged AND start_at = to_timestamp(${event.startTime})
        AND end_at = to_timestamp(${event.endTime})
    WHERE id = ${id} RETURNING ${columns(sql)}`
  return row === undefined ? null : eventOf(row)
}

/** Deletes its tags too. */
export async function deleteEvent(sql: Sql, id: number): Promise<boolean> {
  const rows = await sql`DELETE FROM events WHERE id = ${id} RETURNING 1`
  return rows.length > 0
}
