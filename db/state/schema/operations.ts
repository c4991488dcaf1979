import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Long jobs: a row exists before a job runs, so that a restart finds interrupted ones. */
export const operation = sqliteTable(
  'operation',
  {
    id: text().primaryKey(),
    type: text().notNull(),
    scope: text().notNull(),
    name: text().notNull(),
    nameKey: text(),
    nameContext: text({ mode: 'json' }).$type<Record<string, string | number>>(),
    status: text().notNull(),
    percentComplete: real().notNull(),
    stageKey: text(),
    context: text({ mode: 'json' }).$type<Record<string, unknown>>(),
    message: text(),
    error: text(),
    isSilent: integer({ mode: 'boolean' }).notNull(),
    createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
    startedAt: integer({ mode: 'timestamp_ms' }),
    finishedAt: integer({ mode: 'timestamp_ms' }),
  },
  (table) => [index('operation_by_status').on(table.status, table.createdAt)],
)
