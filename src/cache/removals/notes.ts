import { asc, count, eq } from 'drizzle-orm'
import type { StateDatabase } from '../../../db/state/open.ts'
import { pendingRemoval } from '../../../db/state/schema/removals.ts'
import type { RemovalTarget } from './target.ts'

/** Removals whose share of the history waits; further removals are refused until some are done. */
export const notesMax = 10_000

/** The history's share of a removal. Times in Unix seconds. */
export type PendingRemoval =
  | {
      id: string
      action: 'delete'
      scope: RemovalTarget
      titleKeys: string[]
      /** Titles whose content stayed in the cache although they are of the same game. */
      keptTitleKeys: string[]
      endedBefore: number
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
