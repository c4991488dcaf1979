import { asc, eq } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { account } from '../../../db/state/schema/access.ts'
import { usernameKey } from './credential-rules.ts'

export type AccountRecord = typeof account.$inferSelect

/** The row of an account that has not signed in yet; `username` trimmed. */
export const newAccount = (
  wanted: Pick<AccountRecord, 'username' | 'passwordHash' | 'role'>,
  createdAt: Date,
): AccountRecord => ({
  id: crypto.randomUUID(),
  usernameKey: usernameKey(wanted.username),
  isOwner: false,
  isDisabled: false,
  createdAt,
  lastLoginAt: null,
  ...wanted,
})

export type AccountStore = ReturnType<typeof createAccountStore>

/** Account rows in `state.sqlite`. */
export function createAccountStore({ db }: Pick<StateDatabase, 'db'>) {
  return {
    exists: (): boolean => db.select({ id: account.id }).from(account).limit(1).get() !== undefined,

    /** Sorted by name. Not paged: there are only as many as were created by hand. */
    all: (): AccountRecord[] => db.select().from(account).orderBy(asc(account.usernameKey)).all(),

    byId: (id: string): AccountRecord | null =>
      db.select().from(account).where(eq(account.id, id)).get() ?? null,
    byUsernameKey: (key: string): AccountRecord | null =>
      db.select().from(account).where(eq(account.usernameKey, key)).get() ?? null,
    owner: (): AccountRecord | null =>
      db.select().from(account).where(eq(account.isOwner, true)).get() ?? null,

    /** False when the name is taken, including by a concurrent insert. */
    insert(row: AccountRecord): boolean {
      const added = db
        .insert(account)
        .values(row)
        .onConflictDoNothing()
        .returning({ id: account.id })
        .all()
      return added.length > 0
    },

    /** False when an account already exists; check and insert are atomic. */
    insertFirst: (row: AccountRecord): boolean =>
      db.transaction((tx) => {
        if (tx.select({ id: account.id }).from(account).limit(1).get() !== undefined) return false
        tx.insert(account).values(row).run()
        return true
      }),

    /** Cascades to the account's sessions. */
    delete(id: string): void {
      db.delete(account).where(eq(account.id, id)).run()
    },

    deleteAll(): void {
      db.delete(account).run()
    },

    update(id: string, values: Partial<Omit<AccountRecord, 'id'>>): void {
      db.update(account).set(values).where(eq(account.id, id)).run()
    },
  }
}
