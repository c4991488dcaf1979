import { asc, count, eq } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { pendingRemoval } from '../../../db/state/schema/removals.ts'
import type { RemovalTarget } from './target.ts'

/** Removals whose changes to the history are pending; beyond this, removals are refused. */
export const notesMax = 10_000

/** A removal's changes to the history. Times in Unix seconds. */
export type PendingRemoval =
  | {
      id: string
      action: 'delete'
      scope: RemovalTarget
      titleKeys: string[]
      /** Titles of the same game whose content stayed in the cache. */
      keptTitleKeys: string[]
      endedBefore: number
      /** Those that ended after that may still grow: they stay, marked as evicted. */
      evictedBefore?: number
    }
  | {
      id: string
      action: 'evict'
      /** In lower case. */
      datasources: string[]
      endedBefore: number
    }

/** Oldest first. */
export function readNotes({ db }: StateDatabase): PendingRemoval[] {
  const rows = db.select().from(pendingRemoval).orderBy(asc(pendingRemoval.notedAt)).all()
  // Written below in this form.
  return rows.map(({ note }) => note as unknown as PendingRemoval)
}

export function countNotes({ db }: StateDatabase): number {
  return db.select({ n: count() }).from(pendingRemoval).all()[0]?.n ?? 0
}

export function keepNote({ db }: StateDatabase, removal: PendingRemoval, notedAt: Date): void {
  const note = { ...removal }
  db.insert(pendingRemoval)
    .values({ id: removal.id, note, notedAt })
    .onConflictDoUpdate({ target: pendingRemoval.id, set: { note } })
    .run()
}

export function dropNote({ db }: StateDatabase, id: string): void {
  db.delete(pendingRemoval).where(eq(pendingRemoval.id, id)).run()
}
