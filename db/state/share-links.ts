import { eq } from 'drizzle-orm'
import type { StateDatabase } from './open.ts'
import { shareLink } from './schema/links.ts'

/** The links of a deleted event end with it; without an id those of all events. */
export function deleteLinks({ db }: StateDatabase, eventId?: string): void {
  const isOfEvent = eventId === undefined ? undefined : eq(shareLink.subject, eventId)
  db.delete(shareLink).where(isOfEvent).run()
}
