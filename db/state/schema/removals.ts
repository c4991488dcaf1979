import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Removed from the cache, but perhaps not from the history yet; a row is deleted when done. */
export const pendingRemoval = sqliteTable(
  'pending_removal',
  {
    /** Id of the operation. */
    id: text().primaryKey(),
    /** Written and read in one form, by `src/cache/removals/notes.ts`. */
    note: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    notedAt: integer({ mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('pending_removal_by_time').on(table.notedAt)],
)
