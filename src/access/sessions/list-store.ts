import {
  and,
  count,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  or,
  sql,
  type SQL,
} from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { account, guestGrant, session } from '../../../db/state/schema/access.ts'
import type { Role } from '../../core/caller.ts'

/** With the name and role of its account; null for guests. */
export type SessionRow = typeof session.$inferSelect & {
  username: string | null
  accountRole: Role | null
}
export type GrantRow = typeof guestGrant.$inferSelect

export interface View {
  at: Date
  /** Excludes the owner's sessions. */
  withoutOwner: boolean
}

const notOwner = (view: View): SQL | undefined =>
  view.withoutOwner ? or(isNull(account.isOwner), eq(account.isOwner, false)) : undefined

const active = (view: View): SQL | undefined =>
  and(isNull(session.revokedAt), gt(session.expiresAt, view.at), notOwner(view))

const ended = (view: View): SQL | undefined =>
  and(or(isNotNull(session.revokedAt), lte(session.expiresAt, view.at)), notOwner(view))

const endedAt = sql`coalesce(${session.revokedAt}, ${session.expiresAt})`

export function createSessionListStore({ db }: Pick<StateDatabase, 'db'>) {
  const rowsOf = () =>
    db
      .select({ session, username: account.username, accountRole: account.role })
      .from(session)
      .leftJoin(account, eq(session.accountId, account.id))

  return {
    /** Most recently seen first. */
    activePage(view: View, { limit, offset }: { limit: number; offset: number }): SessionRow[] {
      const rows = rowsOf()
        .where(active(view))
        .orderBy(desc(session.lastSeenAt), desc(session.id))
        .limit(limit)
        .offset(offset)
        .all()
      return rows.map(({ session: row, ...holder }) => ({ ...row, ...holder }))
    },

    /** Revoked and expired ones, most recently ended first. */
    ended(view: View, limit: number): SessionRow[] {
      const rows = rowsOf()
        .where(ended(view))
        .orderBy(desc(endedAt), desc(session.id))
        .limit(limit)
        .all()
      return rows.map(({ session: row, ...holder }) => ({ ...row, ...holder }))
    },

    countActive(view: View): Record<Role, number> {
      const rows = db
        .select({ type: session.type, n: count() })
        .from(session)
        .leftJoin(account, eq(session.accountId, account.id))
        .where(active(view))
        .groupBy(session.type)
        .all()
      const of = (type: Role) => rows.find((row) => row.type === type)?.n ?? 0
      return { admin: of('admin'), user: of('user'), guest: of('guest') }
    },

    /** Unexpired prefill grants of these sessions. */
    grants: (sessionIds: readonly string[], at: Date): GrantRow[] =>
      db
        .select()
        .from(guestGrant)
        .where(and(inArray(guestGrant.sessionId, [...sessionIds]), gt(guestGrant.expiresAt, at)))
        .all(),
  }
}
