import { and, eq, inArray } from 'drizzle-orm'
import { pagesAbout } from '../../src/core/lib/share-pages.ts'
import type { StateDatabase } from './open.ts'
import { shareLink } from './schema/links.ts'

/** The links of a deleted event end with it; without an id those of all events. */
export function deleteLinks({ db }: StateDatabase, eventId?: string): void {
  const isAboutEvents = inArray(shareLink.page, pagesAbout('event'))
  const isOfEvent = eventId === undefined ? undefined : eq(shareLink.subject, eventId)
  db.delete(shareLink).where(and(isAboutEvents, isOfEvent)).run()
}
