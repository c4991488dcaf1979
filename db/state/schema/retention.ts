import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** What the owner wants to leave the cache by itself. */
export const retentionRule = sqliteTable('retention_rule', {
  id: text().primaryKey(),
  name: text().notNull(),
  isEnabled: integer({ mode: 'boolean' }).notNull(),
  /** Rules are asked in this order. */
  position: integer().notNull(),
  /** Null: of all. */
  service: text(),
  gameKey: text(),
  datasource: text(),
  condition: text({
    enum: ['storedLongerThan', 'unusedFor', 'gameLargerThan', 'serviceAbove', 'diskBelow'],
  }).notNull(),
  /** Days for the first two, bytes for the others; the other one is null. */
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

/** What rules want to remove, until its time has come or somebody says no. */
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
    /** When its removal began; a restart goes on with it. */
    startedAt: integer({ mode: 'timestamp_ms' }),
    operationId: text(),
    /** Why the last try did not remove it, for people. */
    problem: text(),
  },
  (table) => [
    uniqueIndex('retention_pending_game').on(table.gameKey),
    index('retention_pending_due').on(table.dueAt),
  ],
)

/** Games that a rule leaves alone until then, because somebody said no. */
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
