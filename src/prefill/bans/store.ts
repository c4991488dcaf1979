import { and, desc, eq, gt, isNull, or } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { prefillBan } from '../../../db/state/schema/prefill.ts'

export type BanRow = typeof prefillBan.$inferSelect
type NewBan = Omit<BanRow, 'id' | 'liftedAt' | 'liftedBy'>

/** Bans in one answer, newest first. */
const listedMax = 1000

/** Names of platform accounts are compared without case and blanks around them. */
export const banName = (name: string): string => name.trim().toLowerCase()

export function createBanStore({ db }: Pick<StateDatabase, 'db'>) {
  const isInForce = (at: Date) =>
    and(isNull(prefillBan.liftedAt), or(isNull(prefillBan.expiresAt), gt(prefillBan.expiresAt, at)))
  const exists = (condition: ReturnType<typeof eq>, at: Date): boolean =>
    db
      .select({ id: prefillBan.id })
      .from(prefillBan)
      .where(and(condition, isInForce(at)))
      .limit(1)
      .get() !== undefined

  return {
    isNameBanned: (name: string, at: Date) => exists(eq(prefillBan.username, banName(name)), at),
    isUserBanned: (userId: string, at: Date) => exists(eq(prefillBan.userId, userId), at),

    /** The new ban, or the one that is in force for this name or user. */
    add(ban: NewBan): BanRow {
      const isSame =
        ban.username === null
          ? eq(prefillBan.userId, ban.userId ?? '')
          : eq(prefillBan.username, ban.username)
      const known = db
        .select()
        .from(prefillBan)
        .where(and(isSame, isInForce(ban.bannedAt)))
        .limit(1)
        .get()
      return known ?? db.insert(prefillBan).values(ban).returning().get()
    },

    find: (id: number): BanRow | null =>
      db.select().from(prefillBan).where(eq(prefillBan.id, id)).get() ?? null,

    lift(id: number, by: string, at: Date): void {
      db.update(prefillBan).set({ liftedAt: at, liftedBy: by }).where(eq(prefillBan.id, id)).run()
    },

    list: (includesLifted: boolean, at: Date): BanRow[] =>
      db
        .select()
        .from(prefillBan)
        .where(includesLifted ? undefined : isInForce(at))
        .orderBy(desc(prefillBan.bannedAt), desc(prefillBan.id))
        .limit(listedMax)
        .all(),
  }
}
