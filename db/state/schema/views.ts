import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { account } from './access.ts'

/** Saved filters of a page, by name. */
export const savedView = sqliteTable(
  'saved_view',
  {
    id: text().primaryKey(),
    /** Null: belongs to the installation key, or to everyone while there are no accounts. */
    accountId: text().references(() => account.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    page: text().notNull(),
    query: text().notNull(),
    createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
    updatedAt: integer({ mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('saved_view_account').on(table.accountId, table.name)],
)
