import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Named, ordered sets of client addresses. */
export const clientGroup = sqliteTable(
  'client_group',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    nickname: text().notNull(),
    description: text(),
    separateMemberRows: integer({ mode: 'boolean' }).notNull(),
    /** Microseconds since 1970: identifies one state of the group and is never repeated. */
    createdAtUs: integer().notNull(),
    updatedAtUs: integer().notNull(),
  },
  (table) => [uniqueIndex('client_group_nickname').on(table.nickname)],
)

/** An address belongs to at most one group. */
export const clientGroupMember = sqliteTable(
  'client_group_member',
  {
    ip: text().primaryKey(),
    groupId: integer()
      .notNull()
      .references(() => clientGroup.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    addedAt: integer({ mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('client_group_member_order').on(table.groupId, table.position)],
)

/** Clients excluded from reports. */
export const clientExclusion = sqliteTable('client_exclusion', {
  ip: text().primaryKey(),
  /** `hide`: shown nowhere. `exclude`: listed, but in no sum, count or average. */
  mode: text({ enum: ['exclude', 'hide'] }).notNull(),
  position: integer().notNull(),
})

/** What a client can be, from which the dashboard draws its icon. */
export const deviceKinds = [
  'computer',
  'laptop',
  'handheld',
  'console',
  'phone',
  'tv',
  'server',
] as const

/** Kinds that somebody chose; all others are guessed each time. */
export const clientDevice = sqliteTable('client_device', {
  ip: text().primaryKey(),
  kind: text({ enum: deviceKinds }).notNull(),
})
