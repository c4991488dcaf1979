import { asc, count, eq } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { pendingRemoval, type PendingRemoval } from '../../../db/state/schema/removals.ts'

/** Removals whose changes to the history are pending; beyond this, removals are refused. */
export const notesMax = 10_000

/** Oldest first. */
export function readNotes({ db }: StateDatabase): PendingRemoval[] {
  const rows = db.select().from(pendingRemoval).orderBy(asc(pendingRemoval.notedAt)).all()
  return rows.map(({ note }) => note)
}

export function countNotes({ db }: StateDatabase): number {
  return db.select({ n: count() }).from(pendingRemoval).all()[0]?.n ?? 0
}

export function keepNote({ db }: StateDatabase, removal: PendingRemoval, notedAt: Date): void {
  db.insert(pendingRemoval)
    .values({ id: removal.id, note: removal, notedAt })
    .onConflictDoUpdate({ target: pendingRemoval.id, set: { note: removal } })
    .run()
}

export function dropNote({ db }: StateDatabase, id: string): void {
  db.delete(pendingRemoval).where(eq(pendingRemoval.id, id)).run()
}
