import { integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Platform } from '../../../src/platforms/platforms.ts'

/** Events whose party is on. */
export const party = sqliteTable('party', {
  eventId: integer().primaryKey(),
  /** Ids are used again after a reset of the history: another time is another event. */
  eventCreatedAt: text().notNull(),
  rules: text().notNull(),
  wifi: text().notNull(),
  timetable: text({ mode: 'json' }).$type<{ atUtc: string; text: string }[]>().notNull(),
  showsNames: integer({ mode: 'boolean' }).notNull(),
})

/** Games that guests of a party would like to play. */
export const partyWish = sqliteTable(
  'party_wish',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    eventId: integer()
      .notNull()
      .references(() => party.eventId, { onDelete: 'cascade' }),
    /** The platform's game, else its name without marks and spaces. */
    key: text().notNull(),
    name: text().notNull(),
    platform: text().$type<Platform>(),
    appId: text(),
    /** Address of the device. */
    device: text().notNull(),
    createdAt: integer({ mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [uniqueIndex('party_wish_game').on(table.eventId, table.key)],
)

/** Names that guests chose for their devices; without a row a device is a number. */
export const partyDevice = sqliteTable(
  'party_device',
  {
    eventId: integer()
      .notNull()
      .references(() => party.eventId, { onDelete: 'cascade' }),
    device: text().notNull(),
    name: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.eventId, table.device] })],
)

/** One vote per device and wish. */
export const partyVote = sqliteTable(
  'party_vote',
  {
    wishId: integer()
      .notNull()
      .references(() => partyWish.id, { onDelete: 'cascade' }),
    device: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.wishId, table.device] })],
)
