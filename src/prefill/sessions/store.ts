import { and, count, desc, eq, inArray, isNull, lt } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { prefillRun, prefillSession } from '../../../db/state/schema/prefill.ts'
import type { Platform } from '../../platforms/platforms.ts'
import type { AccountSlot } from '../transports/contract.ts'
import type { LiveSession } from './state.ts'

export type SessionRow = typeof prefillSession.$inferSelect
export type RowStatus = SessionRow['status']

/** Ended sessions are kept this long, with their history. */
const keptMs = 90 * 24 * 3_600_000

export interface RowEnd {
  status: RowStatus
  reason: string
  by: string
  at: Date
}

export interface SessionFilter {
  status: RowStatus | null
  platform: Platform | null
  withoutOwners: boolean
}

const isKey = (sessionId: string) => eq(prefillSession.sessionId, sessionId)

const matches = ({ status, platform, withoutOwners }: SessionFilter) =>
  and(
    status === null ? undefined : eq(prefillSession.status, status),
    platform === null ? undefined : eq(prefillSession.platform, platform),
    withoutOwners ? eq(prefillSession.isOwners, false) : undefined,
  )

function createSessionReader({ db }: Pick<StateDatabase, 'db'>) {
  return {
    /** Sessions that the last process did not end. */
    active: (): SessionRow[] =>
      db.select().from(prefillSession).where(eq(prefillSession.status, 'Active')).all(),

    find: (sessionId: string): SessionRow | null =>
      db.select().from(prefillSession).where(isKey(sessionId)).get() ?? null,

    /** The run of this session whose end was not seen; null: none. */
    openRun: (sessionId: string) =>
      db
        .select()
        .from(prefillRun)
        .where(and(eq(prefillRun.sessionId, sessionId), isNull(prefillRun.endedAt)))
        .get() ?? null,

    lastPersistent: ({ platform, accountId }: AccountSlot): SessionRow | null =>
      db
        .select()
        .from(prefillSession)
        .where(
          and(
            eq(prefillSession.platform, platform),
            eq(prefillSession.isPersistent, true),
            accountId === null
              ? isNull(prefillSession.accountId)
              : eq(prefillSession.accountId, accountId),
          ),
        )
        .orderBy(desc(prefillSession.id))
        .limit(1)
        .get() ?? null,

    page: (filter: SessionFilter, { limit, offset }: { limit: number; offset: number }) =>
      db
        .select()
        .from(prefillSession)
        .where(matches(filter))
        .orderBy(desc(prefillSession.createdAt), desc(prefillSession.id))
        .limit(limit)
        .offset(offset)
        .all(),

    count: (filter: SessionFilter): number =>
      db.select({ n: count() }).from(prefillSession).where(matches(filter)).get()?.n ?? 0,
  }
}

export function createSessionStore(state: Pick<StateDatabase, 'db'>) {
  const { db } = state
  return {
    ...createSessionReader(state),

    insert(session: LiveSession): void {
      db.insert(prefillSession)
        .values({
          sessionId: session.id,
          platform: session.platform,
          accountId: session.accountId,
          userId: session.userId,
          isOwners: session.isOwners,
          transport: session.transport.kind,
          containerId: session.daemon.containerId,
          containerName: session.daemon.name,
          accountUsername: session.accountUsername,
          username: session.username,
          status: 'Active',
          isTemporary: session.isTemporary,
          isPersistent: session.isPersistent,
          isAuthenticated: session.authState === 'Authenticated',
          createdAt: session.createdAt,
          expiresAt: session.expiresAt,
        })
        .run()
    },

    /** What changes while a session runs. */
    update(session: LiveSession): void {
      db.update(prefillSession)
        .set({
          accountUsername: session.accountUsername,
          username: session.username,
          isAuthenticated: session.authState === 'Authenticated',
          expiresAt: session.expiresAt,
        })
        .where(isKey(session.id))
        .run()
    },

    /** The row is active again: its daemon was found after a restart. */
    adopt: (session: LiveSession) =>
      db
        .update(prefillSession)
        .set({
          status: 'Active',
          endedAt: null,
          terminationReason: null,
          terminatedBy: null,
          containerId: session.daemon.containerId,
          containerName: session.daemon.name,
        })
        .where(isKey(session.id))
        .run(),

    end(sessionId: string, { status, reason, by, at }: RowEnd): void {
      db.update(prefillSession)
        .set({ status, endedAt: at, terminationReason: reason, terminatedBy: by })
        .where(isKey(sessionId))
        .run()
    },

    setStatus(sessionIds: readonly string[], status: RowStatus): void {
      db.update(prefillSession)
        .set({ status })
        .where(inArray(prefillSession.sessionId, [...sessionIds]))
        .run()
    },

    /** Deletes what ended long ago. */
    prune(now: Date): void {
      db.delete(prefillSession)
        .where(lt(prefillSession.endedAt, new Date(now.getTime() - keptMs)))
        .run()
    },
  }
}
