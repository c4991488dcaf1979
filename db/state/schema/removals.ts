import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What is to be removed from the cache. */
export type RemovalTarget =
  | { kind: 'alpha'; appId: number }
  /** By name, or by its id. */
  | { kind: 'beta'; gameName: string }
  | { kind: 'named'; service: string; gameName: string }
  | { kind: 'service'; service: string }

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

/** Removed from the cache, but perhaps not from the history yet; a row is deleted when done. */
export const pendingRemoval = sqliteTable(
  'pending_removal',
  {
    /** Id of the operation. */
    id: text().primaryKey(),
    note: text({ mode: 'json' }).$type<PendingRemoval>().notNull(),
    notedAt: integer({ mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('pending_removal_by_time').on(table.notedAt)],
)
