import { and, eq } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { identity } from '../../../db/state/schema/access.ts'

/** A person at a provider. */
export interface Identity {
  issuer: string
  subject: string
}

export type IdentityStore = ReturnType<typeof createIdentityStore>

/** Which person signs in to which account; rows in `state.sqlite`. */
export function createIdentityStore({ db }: Pick<StateDatabase, 'db'>) {
  return {
    accountOf({ issuer, subject }: Identity): string | null {
      const isIt = and(eq(identity.issuer, issuer), eq(identity.subject, subject))
      return db.select().from(identity).where(isIt).get()?.accountId ?? null
    },

    hasAccount: (accountId: string): boolean =>
      db.select().from(identity).where(eq(identity.accountId, accountId)).get() !== undefined,

    /** False when the person already has an account. */
    link(accountId: string, { issuer, subject }: Identity, createdAt: Date): boolean {
      const row = { issuer, subject, accountId, createdAt }
      return db.insert(identity).values(row).onConflictDoNothing().returning().all().length > 0
    },

    /** False when there was none. */
    unlink(accountId: string): boolean {
      const gone = db.delete(identity).where(eq(identity.accountId, accountId))
      return gone.returning().all().length > 0
    },
  }
}
