import { and, asc, count, desc, eq, inArray, lte, notInArray } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { notificationOutbox, notificationTarget } from '../../../db/state/schema/notifications.ts'
import { isWritten } from '../../core/lib/storage-faults.ts'
import type { Message, NoticeKind } from './message.ts'

export type TargetRecord = typeof notificationTarget.$inferSelect
export interface WaitingMessage extends Message {
  id: number
  attempts: number
}

/** Messages that wait for one target; older ones make room for new ones. */
export const waitingMax = 100

type Db = Pick<StateDatabase, 'db'>

function insert({ db }: Db, targetId: string, message: Message): void {
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
}

/**
 * Waiting messages. While the disk takes no writes, new ones wait in memory, and those that were sent
 * and are still stored are passed over.
 */
function createMessages({ db }: Db) {
  /** Their ids are negative. */
  let unstored: (WaitingMessage & { targetId: string })[] = []
  let unstoredCount = 0
  const sent = new Set<number>()
  const isWaiting = () => notInArray(notificationOutbox.id, [...sent])

  return {
    add(targetId: string, message: Message): void {
      if (isWritten(() => insert({ db }, targetId, message))) return
      const id = --unstoredCount
      unstored = [...unstored, { ...message, id, attempts: 0, targetId }].slice(-waitingMax)
    },

    /** The oldest one of a target. */
    next(targetId: string): WaitingMessage | null {
      const row = db
        .select()
        .from(notificationOutbox)
        .where(and(eq(notificationOutbox.targetId, targetId), isWaiting()))
        .orderBy(asc(notificationOutbox.id))
        .get()
      if (row === undefined) return unstored.find((one) => one.targetId === targetId) ?? null
      // Written from a Message by `add`.
      return { ...row, kind: row.kind as NoticeKind, text: row.body }
    },

    attempted(id: number, attempts: number): void {
      unstored = unstored.map((one) => (one.id === id ? { ...one, attempts } : one))
      const set = { attempts }
      isWritten(() =>
        db.update(notificationOutbox).set(set).where(eq(notificationOutbox.id, id)).run(),
      )
    },

    drop(id: number): void {
      unstored = unstored.filter((one) => one.id !== id)
      sent.add(id)
      const remove = db.delete(notificationOutbox).where(inArray(notificationOutbox.id, [...sent]))
      if (isWritten(() => remove.run())) sent.clear()
    },

    waiting(): Map<string, number> {
      const rows = db
        .select({ targetId: notificationOutbox.targetId, n: count() })
        .from(notificationOutbox)
        .where(isWaiting())
        .groupBy(notificationOutbox.targetId)
        .all()
      const counts = new Map(rows.map(({ targetId, n }) => [targetId, n]))
      for (const { targetId } of unstored) counts.set(targetId, (counts.get(targetId) ?? 0) + 1)
      return counts
    },

    /** The target was deleted, with what was stored for it. */
    forget(targetId: string): void {
      unstored = unstored.filter((one) => one.targetId !== targetId)
    },
  }
}

export type NotificationStore = ReturnType<typeof createNotificationStore>

/** Targets and waiting messages in `state.sqlite`. */
export function createNotificationStore({ db }: Db) {
  const messages = createMessages({ db })
  const note = (id: string, values: Partial<TargetRecord>): void =>
    db.update(notificationTarget).set(values).where(eq(notificationTarget.id, id)).run()

  return {
    ...messages,
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

    note,

    /** Of a delivery, which happened whether or not it can be noted. */
    noteDelivery: (id: string, values: Partial<TargetRecord>): void =>
      void isWritten(() => note(id, values)),

    /** Also deletes what waits for it. */
    delete(id: string): void {
      db.delete(notificationTarget).where(eq(notificationTarget.id, id)).run()
      messages.forget(id)
    },
  }
}
