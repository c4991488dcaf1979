import { randomBytes } from 'node:crypto'
import { asc, eq } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { prefillAccount } from '../../../db/state/schema/prefill.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Platform } from '../../platforms/platforms.ts'
import type { AccountSlot } from '../transports/contract.ts'

/** Further accounts of platforms in `state.sqlite`; the first ones exist without a row. */
export function createAccountStore({ db }: StateDatabase, clock: Clock) {
  const further = (platform: Platform): AccountSlot[] =>
    db
      .select({ accountId: prefillAccount.id, platform: prefillAccount.platform })
      .from(prefillAccount)
      .where(eq(prefillAccount.platform, platform))
      .orderBy(asc(prefillAccount.createdAt), asc(prefillAccount.id))
      .all()

  return {
    /** The first account of a platform, then the others in the order in which they were added. */
    slots: (platform: Platform): AccountSlot[] => [
      { platform, accountId: null },
      ...further(platform),
    ],

    find(id: string): AccountSlot | null {
      const row = db.select().from(prefillAccount).where(eq(prefillAccount.id, id)).get()
      return row === undefined ? null : { platform: row.platform, accountId: row.id }
    },

    add(platform: Platform): AccountSlot {
      const id = randomBytes(4).toString('hex')
      db.insert(prefillAccount).values({ id, platform, createdAt: clock.now() }).run()
      return { platform, accountId: id }
    },

    remove(id: string): void {
      db.delete(prefillAccount).where(eq(prefillAccount.id, id)).run()
    },
  }
}
