import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Read-only tokens for widgets of other dashboards. */
export const widgetToken = sqliteTable('widget_token', {
  id: text().primaryKey(),
  name: text().notNull(),
  /** SHA-256 of the token, hexadecimal. Tokens are random, so a plain hash suffices. */
  hash: text().notNull().unique(),
  scopes: text({ mode: 'json' }).$type<('summary' | 'badge' | 'clients')[]>().notNull(),
  createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  lastUsedAt: integer({ mode: 'timestamp_ms' }),
})
