import ical, { ICalEventBusyStatus, ICalEventStatus } from 'ical-generator'
import type { CalendarEvent } from './model.ts'

/**
 * Events as an iCalendar file (RFC 5545), all times in UTC. An entry's id contains the event's
 * creation time, so that it is stable and unique across installations.
 */
export function calendarOf(events: readonly CalendarEvent[]): string {
  const calendar = ical({ name: 'Larder', prodId: { company: 'Larder', product: 'Events' } })
  for (const event of events) {
    const createdAt = new Date(event.createdAtUtc)
    const changedAt = new Date(event.updatedAtUtc ?? event.createdAtUtc)
    calendar.createEvent({
      id: `event-${event.id}-${Math.floor(createdAt.getTime() / 1000)}@larder`,
      start: new Date(event.startTimeUtc),
      end: new Date(event.endTimeUtc),
      summary: event.name,
      description: event.description,
      created: createdAt,
      lastModified: changedAt,
      // Not the time of the request: the same events produce the same file.
      stamp: changedAt,
      status: ICalEventStatus.CONFIRMED,
      busystatus: ICalEventBusyStatus.FREE,
    })
  }
  return calendar.toString()
}
