import { eq, like } from 'drizzle-orm'
import type { StateDatabase } from './open.ts'
import { credential } from './schema/credentials.ts'
import { party } from './schema/party.ts'

/** The party of a deleted event ends with it, and the tokens of its links; without an id all of them. */
export function deleteParties({ db }: StateDatabase, eventId?: string): void {
  const isOfEvent = eventId === undefined ? undefined : eq(party.eventId, Number(eventId))
  db.delete(party).where(isOfEvent).run()
  db.delete(credential)
    .where(like(credential.name, `party.${eventId ?? '%'}.%`))
    .run()
}
