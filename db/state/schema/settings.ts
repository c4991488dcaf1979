import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Settings of the dashboard and the API: one JSON value per key. */
export const setting = sqliteTable('setting', {
  key: text().primaryKey(),
  value: text({ mode: 'json' }).notNull(),
  updatedAt: integer({ mode: 'timestamp_ms' }).notNull(),
})
