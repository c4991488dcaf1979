/*
 * The history of sessions is in `state.sqlite`, not in Postgres: a row changes with every game of
 * a run, and must be right while Postgres is away.
 */
import { and, desc, eq, gt, gte, inArray, lte, max } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { prefillHistory, prefillSession } from '../../../db/state/schema/prefill.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Platform } from '../../platforms/platforms.ts'
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

/** The newest download of each game of a platform. */
function downloadsOf({ db }: Pick<StateDatabase, 'db'>, platform: Platform) {
  const { appId, totalBytes, bytesDownloaded, startedAt, completedAt, id } = prefillHistory
  return db
    .select({ appId, totalBytes, bytesDownloaded, startedAt, completedAt, newest: max(id) })
    .from(prefillHistory)
    .innerJoin(prefillSession, eq(prefillSession.sessionId, prefillHistory.sessionId))
    .where(
      and(
        eq(prefillSession.platform, platform),
        eq(prefillHistory.status, 'Completed'),
        gt(totalBytes, 0),
      ),
    )
    .groupBy(appId)
    .all()
}

interface OfSchedule {
  scheduleId: string
  /** Without it all sessions. */
  sessionIds?: readonly string[]
  since: Date
}

/** What runs of a schedule have done since then, oldest first. */
function rowsOfSchedule(
  { db }: Pick<StateDatabase, 'db'>,
  { scheduleId, sessionIds, since }: OfSchedule,
): HistoryRow[] {
  const { sessionId, startedAt, scheduleId: schedule } = prefillHistory
  return db
    .select()
    .from(prefillHistory)
    .where(
      and(
        sessionIds === undefined ? undefined : inArray(sessionId, [...sessionIds]),
        gte(startedAt, since),
        eq(schedule, scheduleId),
      ),
    )
    .orderBy(prefillHistory.id)
    .all()
}

const isOpen = eq(prefillHistory.status, 'InProgress')

/**
 * Rows of a run that began then, oldest first. What was closed as interrupted is open again, because
 * it is known how it went on.
 */
function takeUpRun(
  { db }: Pick<StateDatabase, 'db'>,
  sessionId: string,
  since: Date,
): HistoryRow[] {
  const { sessionId: session, startedAt, errorMessage, id } = prefillHistory
  const isOfRun = and(eq(session, sessionId), gte(startedAt, since))
  db.update(prefillHistory)
    .set({ status: 'InProgress', completedAt: null, errorMessage: null })
    .where(and(isOfRun, eq(errorMessage, reasons.interrupted)))
    .run()
  return db.select().from(prefillHistory).where(isOfRun).orderBy(id).all()
}

const ofGame = (sessionId: string, appId: string) =>
  and(eq(prefillHistory.sessionId, sessionId), eq(prefillHistory.appId, appId))

interface Grown {
  appId: string
  bytes: number
  totalBytes: number
}

function growRow(
  { db }: Pick<StateDatabase, 'db'>,
  sessionId: string,
  { appId, bytes, totalBytes }: Grown,
): void {
  db.update(prefillHistory)
    .set({ bytesDownloaded: bytes, totalBytes })
    .where(and(isOpen, ofGame(sessionId, appId)))
    .run()
}

/** Games of runs: a row opens with a game's first progress and closes with its end. */
export function createHistoryStore({ db }: Pick<StateDatabase, 'db'>, clock: Clock) {
  const closeWhere = (condition: ReturnType<typeof and>, status: AppStatus, error: string | null) =>
    db
      .update(prefillHistory)
      .set({ status, completedAt: clock.now(), errorMessage: error })
      .where(and(isOpen, condition))
      .returning({ appId: prefillHistory.appId })
      .all()
      .map(({ appId }) => appId)

  return {
    /** An older open row of the same game is cancelled. */
    open(
      sessionId: string,
      { appId, appName, at }: { appId: string; appName: string | null; at: Date },
      schedule: { id: string; name: string } | null,
    ): void {
      closeWhere(ofGame(sessionId, appId), 'Cancelled', reasons.superseded)
      const row = {
        sessionId,
        appId,
        appName,
        scheduleId: schedule?.id ?? null,
        scheduleName: schedule?.name ?? null,
        startedAt: at,
        bytesDownloaded: 0,
        totalBytes: 0,
        status: 'InProgress',
      } as const
      db.insert(prefillHistory).values(row).run()
    },

    /** Notes what the open row of the game has so far. */
    grow: (sessionId: string, game: Grown) => growRow({ db }, sessionId, game),

    /** Closes the open row of the game; there is at most one. */
    close(sessionId: string, { appId, at, end }: { appId: string; at: Date; end: AppEnd }): void {
      const { status, bytes, totalBytes, errorMessage = null } = end
      db.update(prefillHistory)
        .set({
          status,
          bytesDownloaded: bytes,
          totalBytes,
          errorMessage,
          completedAt: at,
        })
        .where(and(isOpen, ofGame(sessionId, appId)))
        .run()
    },

    /** Closes what an earlier process left open; returns the number of rows. */
    closeAll: (error: string): number => closeWhere(undefined, 'Cancelled', error).length,

    takeUp: (sessionId: string, since: Date) => takeUpRun({ db }, sessionId, since),

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

    downloads: (platform: Platform) => downloadsOf({ db }, platform),

    ofSchedule: (wanted: OfSchedule) => rowsOfSchedule({ db }, wanted),

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
