/*
 * The history of sessions is in `state.sqlite`, not in Postgres: a row changes with every game of
 * a run, and must be right while Postgres is away.
 */
import { and, desc, eq, lte, max } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { prefillHistory } from '../../../db/state/schema/prefill.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { reasons } from '../reasons.ts'

export type HistoryRow = typeof prefillHistory.$inferSelect
type AppStatus = HistoryRow['status']

/** Rows that are kept; persistent sessions run for years. */
const rowsMax = 100_000
/** Rows of one session in an answer, newest first. */
const listedMax = 5000

export interface AppEnd {
  status: AppStatus
  bytes: number
  totalBytes: number
  errorMessage?: string | null
}

/** Games of runs: a row opens with a game's first progress and closes with its end. */
export function createHistoryStore({ db }: Pick<StateDatabase, 'db'>, clock: Clock) {
  const isOpen = eq(prefillHistory.status, 'InProgress')

  const closeWhere = (condition: ReturnType<typeof and>, status: AppStatus, error: string | null) =>
    db
      .update(prefillHistory)
      .set({ status, completedAt: clock.now(), errorMessage: error })
      .where(and(isOpen, condition))
      .returning({ appId: prefillHistory.appId })
      .all()
      .map(({ appId }) => appId)

  return {
    /** Returns the id of the new row; an older open one of the same game is cancelled. */
    open(
      sessionId: string,
      { appId, appName }: { appId: string; appName: string | null },
      schedule: { id: string; name: string } | null,
    ): number {
      const isSame = and(eq(prefillHistory.sessionId, sessionId), eq(prefillHistory.appId, appId))
      closeWhere(isSame, 'Cancelled', reasons.superseded)
      const row = {
        sessionId,
        appId,
        appName,
        scheduleId: schedule?.id ?? null,
        scheduleName: schedule?.name ?? null,
        startedAt: clock.now(),
        bytesDownloaded: 0,
        totalBytes: 0,
        status: 'InProgress',
      } as const
      return db.insert(prefillHistory).values(row).returning({ id: prefillHistory.id }).get().id
    },

    close(rowId: number, { status, bytes, totalBytes, errorMessage = null }: AppEnd): void {
      db.update(prefillHistory)
        .set({
          status,
          bytesDownloaded: bytes,
          totalBytes,
          errorMessage,
          completedAt: clock.now(),
        })
        .where(and(isOpen, eq(prefillHistory.id, rowId)))
        .run()
    },

    /** Closes what an earlier process left open; returns the number of rows. */
    closeAll: (error: string): number => closeWhere(undefined, 'Failed', error).length,

    /** Deletes the oldest rows beyond the limit. */
    prune(): void {
      const newest =
        db
          .select({ id: max(prefillHistory.id) })
          .from(prefillHistory)
          .get()?.id ?? 0
      db.delete(prefillHistory)
        .where(lte(prefillHistory.id, newest - rowsMax))
        .run()
    },

    ofSession: (sessionId: string): HistoryRow[] =>
      db
        .select()
        .from(prefillHistory)
        .where(eq(prefillHistory.sessionId, sessionId))
        .orderBy(desc(prefillHistory.startedAt), desc(prefillHistory.id))
        .limit(listedMax)
        .all(),
  }
}

export type HistoryStore = ReturnType<typeof createHistoryStore>
