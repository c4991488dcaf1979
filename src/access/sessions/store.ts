import { and, count, eq, gt, isNull, lt, ne, or, sql, type SQL } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { account, guestGrant, session } from '../../../db/state/schema/access.ts'

type SessionRow = typeof session.$inferSelect

/** A session with the facts about its account that decide its rights. */
export interface SessionRecord extends SessionRow {
  account: { username: string; isOwner: boolean; isDisabled: boolean } | null
}

export interface Grant {
  platform: string
  expiresAt: Date
}

const isActive = (at: Date): SQL | undefined =>
  and(isNull(session.revokedAt), gt(session.expiresAt, at))

/** Session rows in `state.sqlite`. Only token hashes are stored. */
export class SessionStore {
  readonly #db: StateDatabase['db']
  /** Counts changes of what sessions may do. */
  rightsVersion = 0
  /** Run for every request and for every look at who is signed in, so both are prepared once. */
  readonly #byToken
  readonly #byId

  constructor({ db }: Pick<StateDatabase, 'db'>) {
    this.#db = db
    const hash = sql.placeholder('hash')
    this.#byToken = this.#select()
      .where(or(eq(session.tokenHash, hash), eq(session.previousTokenHash, hash)))
      .prepare()
    this.#byId = this.#select()
      .where(eq(session.id, sql.placeholder('id')))
      .prepare()
  }

  #select() {
    return this.#db
      .select({
        session,
        account: {
          username: account.username,
          isOwner: account.isOwner,
          isDisabled: account.isDisabled,
        },
      })
      .from(session)
      .leftJoin(account, eq(session.accountId, account.id))
  }

  insert(row: typeof session.$inferInsert): void {
    this.#db.insert(session).values(row).run()
  }

  /** By the current token or the previous one (the caller checks whether it is still valid). */
  byTokenHash(hash: string): SessionRecord | null {
    const row = this.#byToken.get({ hash })
    return row === undefined ? null : { ...row.session, account: row.account }
  }

  byId(id: string): SessionRecord | null {
    const row = this.#byId.get({ id })
    return row === undefined ? null : { ...row.session, account: row.account }
  }

  update(id: string, values: Partial<Omit<SessionRow, 'id'>>): void {
    this.#db.update(session).set(values).where(eq(session.id, id)).run()
  }

  /** Ids of the sessions that were active and are now revoked. */
  revoke(id: string, at: Date): string[] {
    return this.#revokeWhere(eq(session.id, id), at)
  }

  revokeOfAccount(accountId: string, at: Date, exceptId: string | null = null): string[] {
    const mine = eq(session.accountId, accountId)
    return this.#revokeWhere(exceptId === null ? mine : and(mine, ne(session.id, exceptId)), at)
  }

  revokeGuests(at: Date): string[] {
    return this.#revokeWhere(eq(session.type, 'guest'), at)
  }

  delete(id: string): void {
    this.rightsVersion++
    this.#db.delete(session).where(eq(session.id, id)).run()
  }

  #revokeWhere(condition: SQL | undefined, at: Date): string[] {
    this.rightsVersion++
    const rows = this.#db
      .update(session)
      .set({ revokedAt: at })
      .where(and(condition, isActive(at)))
      .returning({ id: session.id })
      .all()
    return rows.map(({ id }) => id)
  }

  deleteAll(): string[] {
    this.rightsVersion++
    const rows = this.#db.delete(session).returning({ id: session.id }).all()
    return rows.map(({ id }) => id)
  }

  /** Sessions without an account: of the key, and of disabled authentication. */
  deleteWithoutAccount(): void {
    this.rightsVersion++
    this.#db
      .delete(session)
      .where(and(eq(session.type, 'admin'), isNull(session.accountId)))
      .run()
  }

  /** Unexpired prefill grants of a guest session. */
  grants(sessionId: string, at: Date): Grant[] {
    return this.#db
      .select({ platform: guestGrant.platform, expiresAt: guestGrant.expiresAt })
      .from(guestGrant)
      .where(and(eq(guestGrant.sessionId, sessionId), gt(guestGrant.expiresAt, at)))
      .all()
  }

  activeOfAccount(accountId: string, at: Date): string[] {
    const rows = this.#db
      .select({ id: session.id })
      .from(session)
      .where(and(eq(session.accountId, accountId), isActive(at)))
      .all()
    return rows.map(({ id }) => id)
  }

  activeGuests(at: Date): { id: string }[] {
    return this.#db
      .select({ id: session.id })
      .from(session)
      .where(and(eq(session.type, 'guest'), isActive(at)))
      .all()
  }

  countGuests(at: Date): number {
    const guests = and(eq(session.type, 'guest'), isActive(at))
    return this.#db.select({ n: count() }).from(session).where(guests).get()?.n ?? 0
  }

  grant(sessionId: string, platform: string, expiresAt: Date): void {
    this.rightsVersion++
    this.#db
      .insert(guestGrant)
      .values({ sessionId, platform, expiresAt })
      .onConflictDoUpdate({
        target: [guestGrant.sessionId, guestGrant.platform],
        set: { expiresAt },
      })
      .run()
  }

  withdraw(sessionId: string, platform: string): void {
    this.rightsVersion++
    this.#db
      .delete(guestGrant)
      .where(and(eq(guestGrant.sessionId, sessionId), eq(guestGrant.platform, platform)))
      .run()
  }

  /** Deletes sessions that ended long ago, so that the table does not grow forever. */
  deleteEndedBefore(at: Date): void {
    this.#db
      .delete(session)
      .where(or(lt(session.expiresAt, at), lt(session.revokedAt, at)))
      .run()
  }
}
