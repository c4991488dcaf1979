import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** The owner's rules for automatic removal from the cache. */
export const retentionRule = sqliteTable('retention_rule', {
  id: text().primaryKey(),
  name: text().notNull(),
  isEnabled: integer({ mode: 'boolean' }).notNull(),
  /** Rules are applied in this order. */
  position: integer().notNull(),
  /** Null: all services. */
  service: text(),
  gameKey: text(),
  datasource: text(),
  condition: text({
    enum: ['storedLongerThan', 'unusedFor', 'gameLargerThan', 'serviceAbove', 'diskBelow'],
  }).notNull(),
  /** Days for the first two kinds, bytes for the others; the other column is null. */
  days: integer(),
  bytes: integer(),
  createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  updatedAt: integer({ mode: 'timestamp_ms' }).notNull(),
})

/** Games that no rule ever removes. */
export const retentionPin = sqliteTable('retention_pin', {
  gameKey: text().primaryKey(),
  name: text().notNull(),
  pinnedAt: integer({ mode: 'timestamp_ms' }).notNull(),
})

/** Removals proposed by rules, until they are due or rejected. */
export const retentionPending = sqliteTable(
  'retention_pending',
  {
    id: text().primaryKey(),
    ruleId: text()
      .notNull()
      .references(() => retentionRule.id, { onDelete: 'cascade' }),
    gameKey: text().notNull(),
    gameName: text().notNull(),
    service: text().notNull(),
    files: integer().notNull(),
    bytes: integer().notNull(),
    reason: text().notNull(),
    listedAt: integer({ mode: 'timestamp_ms' }).notNull(),
    dueAt: integer({ mode: 'timestamp_ms' }).notNull(),
    /** When its removal began; a restart continues it. */
    startedAt: integer({ mode: 'timestamp_ms' }),
    operationId: text(),
    /** Why the last attempt did not remove it, as text. */
    problem: text(),
  },
  (table) => [
    uniqueIndex('retention_pending_game').on(table.gameKey),
    index('retention_pending_due').on(table.dueAt),
  ],
)

/** Games that a rule spares until then, because its removal was rejected. */
export const retentionSpared = sqliteTable(
  'retention_spared',
  {
    ruleId: text()
      .notNull()
      .references(() => retentionRule.id, { onDelete: 'cascade' }),
    gameKey: text().notNull(),
    until: integer({ mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.ruleId, table.gameKey] })],
)
