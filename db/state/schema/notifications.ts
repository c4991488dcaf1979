import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Where notifications are sent. Secrets are sealed credentials, `notifications.<id>`. */
export const notificationTarget = sqliteTable('notification_target', {
  id: text().primaryKey(),
  name: text().notNull(),
  kind: text({ enum: ['webhook', 'ntfy', 'gotify', 'discord', 'telegram', 'smtp'] }).notNull(),
  isEnabled: integer({ mode: 'boolean' }).notNull(),
  /** Leaves out notifications about jobs that went well. */
  onlyProblems: integer({ mode: 'boolean' }).notNull(),
  /** What is not secret, by kind; see `src/system/notifications/targets.ts`. */
  options: text({ mode: 'json' }).$type<Record<string, string | number>>().notNull(),
  createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  lastSentAt: integer({ mode: 'timestamp_ms' }),
  /** Why the last attempt failed; null after one that succeeded. */
  lastError: text(),
  lastErrorAt: integer({ mode: 'timestamp_ms' }),
})

/** Notifications that wait to be sent, one row per target. */
export const notificationOutbox = sqliteTable(
  'notification_outbox',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    targetId: text()
      .notNull()
      .references(() => notificationTarget.id, { onDelete: 'cascade' }),
    kind: text().notNull(),
    isProblem: integer({ mode: 'boolean' }).notNull(),
    title: text().notNull(),
    body: text().notNull(),
    raisedAt: integer({ mode: 'timestamp_ms' }).notNull(),
    attempts: integer().notNull(),
  },
  (table) => [index('notification_outbox_target').on(table.targetId, table.id)],
)
