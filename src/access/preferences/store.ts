import { and, eq, gt, inArray, isNull } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { preference, session } from '../../../db/state/schema/access.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { UserPreferences } from './model.ts'
import { defaultPreferences, normalPreferences } from './rules.ts'

export type PreferenceStore = ReturnType<typeof createPreferenceStore>

/** Session preferences in `state.sqlite`; a missing row means the defaults. */
export function createPreferenceStore({ db }: Pick<StateDatabase, 'db'>, clock: Clock) {
  return {
    read(sessionId: string): UserPreferences {
      const row = db
        .select({ value: preference.value })
        .from(preference)
        .where(eq(preference.sessionId, sessionId))
        .get()
      // Written by `write` below; members added later get their default.
      return { ...defaultPreferences, ...(row?.value as Partial<UserPreferences> | undefined) }
    },

    /** Returns what was stored. The session must exist. */
    write(sessionId: string, wanted: UserPreferences): UserPreferences {
      const value = normalPreferences(wanted)
      const row = { value: { ...value }, updatedAt: clock.now() }
      db.insert(preference)
        .values({ sessionId, ...row })
        .onConflictDoUpdate({ target: preference.sessionId, set: row })
        .run()
      return value
    },

    /** Clears the preferences of all guests. Returns how many active guests had any. */
    clearGuests(): number {
      const guests = eq(session.type, 'guest')
      const now = clock.now()
      const active = and(guests, isNull(session.revokedAt), gt(session.expiresAt, now))
      const withPreferences = db
        .select({ id: preference.sessionId })
        .from(preference)
        .innerJoin(session, eq(session.id, preference.sessionId))
        .where(active)
        .all()
      const ids = db.select({ id: session.id }).from(session).where(guests)
      db.delete(preference).where(inArray(preference.sessionId, ids)).run()
      return withPreferences.length
    },
  }
}
