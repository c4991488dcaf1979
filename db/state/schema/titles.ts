import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * User-defined names of titles that no catalogue knows; they take precedence over every catalogue.
 */
export const titleName = sqliteTable('title_name', {
  titleKey: text().primaryKey(),
  /** Service of the title, for a history that does not know the title yet. */
  service: text().notNull(),
  gameName: text().notNull(),
  namedAt: integer({ mode: 'timestamp_ms' }).notNull(),
})
