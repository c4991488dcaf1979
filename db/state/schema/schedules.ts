import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Scheduled services: when the last run began, so that a restart does not repeat it. */
export const schedule = sqliteTable('schedule', {
  serviceKey: text().primaryKey(),
  lastRunAt: integer({ mode: 'timestamp_ms' }).notNull(),
})
