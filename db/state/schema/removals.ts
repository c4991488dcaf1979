import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What left the cache and may not have left the history yet; a row goes when that is done. */
export const pendingRemoval = sqliteTable(
  'pending_removal',
  {
    /** Of the operation. */
    id: text().primaryKey(),
    /** Written and read in one form, by `src/cache/removals/notes.ts`. */
    note: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
    notedAt: integer({ mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('pending_removal_by_time').on(table.notedAt)],
)
