import { and, desc, eq, inArray, isNotNull, lt, notInArray } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { operation } from '../../../db/state/schema/operations.ts'
import { unfinished, type OperationType, type OperationView } from './contract.ts'
import { stageKey } from './stage-keys.ts'

/** Ended jobs that are kept; silent ones have a smaller share because they are so frequent. */
const historyRowsMax = 500
const silentHistoryRowsMax = 100

const interrupted = 'Interrupted: the service was restarted while this was running'

type Row = typeof operation.$inferSelect

// The columns are text; only this module writes them, with values of these unions.
const toView = (row: Row): OperationView => ({
  ...row,
  type: row.type as OperationType,
  status: row.status as OperationView['status'],
})

function interruptedView(view: OperationView, now: Date): OperationView {
  const over = { ...view, finishedAt: now }
  if (view.status === 'cancelling') {
    return { ...over, status: 'cancelled', stageKey: stageKey(view, 'cancelled') }
  }
  return { ...over, status: 'failed', stageKey: stageKey(view, 'stale'), error: interrupted }
}

export type OperationStore = ReturnType<typeof createOperationStore>

/** The rows of jobs in `state.sqlite`. */
export function createOperationStore(state: StateDatabase) {
  const db = state.db

  return {
    /** Writes a new row, or that of a job that is continued. */
    insert(view: OperationView): void {
      db.insert(operation)
        .values(view)
        .onConflictDoUpdate({ target: operation.id, set: view })
        .run()
    },

    update(view: OperationView): void {
      const { id, ...values } = view
      db.update(operation).set(values).where(eq(operation.id, id)).run()
    },

    find(id: string): OperationView | null {
      const row = db.select().from(operation).where(eq(operation.id, id)).get()
      return row === undefined ? null : toView(row)
    },

    recent(options: { limit: number; includeSilent?: boolean }): OperationView[] {
      const shown =
        options.includeSilent === true
          ? isNotNull(operation.finishedAt)
          : and(isNotNull(operation.finishedAt), eq(operation.isSilent, false))
      const rows = db
        .select()
        .from(operation)
        .where(shown)
        .orderBy(desc(operation.finishedAt), desc(operation.createdAt))
        .limit(options.limit)
        .all()
      return rows.map(toView)
    },

    /** Jobs that have not ended. */
    unfinished: (): OperationView[] =>
      db
        .select()
        .from(operation)
        .where(inArray(operation.status, [...unfinished]))
        .all()
        .map(toView),

    /** Marks a job left by a dead process as failed, or as cancelled if it was, and returns it. */
    interrupt(view: OperationView, now: Date): OperationView {
      const ended = interruptedView(view, now)
      this.update(ended)
      return ended
    },

    /** Removes jobs that ended before this moment; returns their number. */
    removeBefore: (endedBefore: Date): number =>
      db
        .delete(operation)
        .where(lt(operation.finishedAt, endedBefore))
        .returning({ id: operation.id })
        .all().length,

    /** Limits the size of the history. */
    prune(): void {
      for (const [isSilent, limit] of [
        [false, historyRowsMax],
        [true, silentHistoryRowsMax],
      ] as const) {
        const ended = and(isNotNull(operation.finishedAt), eq(operation.isSilent, isSilent))
        const kept = db
          .select({ id: operation.id })
          .from(operation)
          .where(ended)
          .orderBy(desc(operation.finishedAt), desc(operation.createdAt))
          .limit(limit)
        db.delete(operation)
          .where(and(ended, notInArray(operation.id, kept)))
          .run()
      }
    },
  }
}
