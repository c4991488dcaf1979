import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Names that people gave to titles which no catalogue knows; they win over every catalogue. */
export const titleName = sqliteTable('title_name', {
  titleKey: text().primaryKey(),
  /** Service whose title it is, for a history that does not know the title yet. */
  service: text().notNull(),
  gameName: text().notNull(),
  namedAt: integer({ mode: 'timestamp_ms' }).notNull(),
})
