import { and, asc, count, desc, eq, lte } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { notificationOutbox, notificationTarget } from '../../../db/state/schema/notifications.ts'
import type { Message, NoticeKind } from './message.ts'

export type TargetRecord = typeof notificationTarget.$inferSelect
export interface WaitingMessage extends Message {
  id: number
  attempts: number
}

/** Messages that wait for one target; older ones make room for new ones. */
export const waitingMax = 100

export type NotificationStore = ReturnType<typeof createNotificationStore>

/** Targets and waiting messages in `state.sqlite`. */
export function createNotificationStore({ db }: Pick<StateDatabase, 'db'>) {
  return {
    targets: (): TargetRecord[] =>
      db.select().from(notificationTarget).orderBy(asc(notificationTarget.createdAt)).all(),

    target(id: string): TargetRecord | null {
      const rows = db.select().from(notificationTarget)
      return rows.where(eq(notificationTarget.id, id)).get() ?? null
    },

    put(target: TargetRecord): void {
      const { id: _id, createdAt: _createdAt, ...set } = target
      db.insert(notificationTarget)
        .values(target)
        .onConflictDoUpdate({ target: notificationTarget.id, set })
        .run()
    },

    note(id: string, values: Partial<TargetRecord>): void {
      db.update(notificationTarget).set(values).where(eq(notificationTarget.id, id)).run()
    },

    /** Also deletes what waits for it. */
    delete(id: string): void {
      db.delete(notificationTarget).where(eq(notificationTarget.id, id)).run()
    },

    add(targetId: string, message: Message): void {
      const { kind, isProblem, title, text: body, raisedAt } = message
      db.transaction(() => {
        db.insert(notificationOutbox)
          .values({ targetId, kind, isProblem, title, body, raisedAt, attempts: 0 })
          .run()
        const own = eq(notificationOutbox.targetId, targetId)
        const excess = db
          .select({ id: notificationOutbox.id })
          .from(notificationOutbox)
          .where(own)
          .orderBy(desc(notificationOutbox.id))
          .limit(1)
          .offset(waitingMax)
          .get()
        if (excess === undefined) return
        db.delete(notificationOutbox)
          .where(and(own, lte(notificationOutbox.id, excess.id)))
          .run()
      })
    },

    /** The oldest one of a target. */
    next(targetId: string): WaitingMessage | null {
      const row = db
        .select()
        .from(notificationOutbox)
        .where(eq(notificationOutbox.targetId, targetId))
        .orderBy(asc(notificationOutbox.id))
        .get()
      if (row === undefined) return null
      // Written from a Message by `add`.
      return { ...row, kind: row.kind as NoticeKind, text: row.body }
    },

    attempted(id: number, attempts: number): void {
      const set = { attempts }
      db.update(notificationOutbox).set(set).where(eq(notificationOutbox.id, id)).run()
    },

    drop(id: number): void {
      db.delete(notificationOutbox).where(eq(notificationOutbox.id, id)).run()
    },

    waiting(): Map<string, number> {
      const rows = db
        .select({ targetId: notificationOutbox.targetId, n: count() })
        .from(notificationOutbox)
        .groupBy(notificationOutbox.targetId)
        .all()
      return new Map(rows.map(({ targetId, n }) => [targetId, n]))
    },
  }
}
