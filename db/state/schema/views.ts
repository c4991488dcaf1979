import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { account } from './access.ts'

/** Filters of a page under a name, to come back to. */
export const savedView = sqliteTable(
  'saved_view',
  {
    id: text().primaryKey(),
    /** Null: of whoever holds the installation key, or of everybody while there are no accounts. */
    accountId: text().references(() => account.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    page: text().notNull(),
    query: text().notNull(),
    createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
    updatedAt: integer({ mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('saved_view_account').on(table.accountId, table.name)],
)
