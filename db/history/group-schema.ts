import {
  bigint,
  boolean,
  doublePrecision,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  type AnyPgColumn,
} from 'drizzle-orm/pg-core'

export const bytes = () => bigint({ mode: 'number' })
export const instant = () => timestamp({ withTimezone: true, mode: 'date' })

/** Downloads that began in a block of days, summed. */
const groupColumns = () => ({
  spanDays: smallint().notNull(),
  /** Number of the block since 1970; 0 for all time. */
  block: integer().notNull(),
  titleKey: text().notNull(),
  service: text().notNull(),
  isPrefill: boolean().notNull(),
  /** 0: no bytes; 1: at least half of the bytes from the cache; 2: less. */
  kind: smallint().notNull(),
  downloads: bytes().notNull(),
  evicted: bytes().notNull(),
  hitBytes: bytes().notNull(),
  missBytes: bytes().notNull(),
  /** Bytes of downloads with a duration, and the sum of their bytes x bytes per second. */
  timedBytes: bytes().notNull(),
  speedWeight: doublePrecision().notNull(),
  firstAt: instant().notNull(),
  lastAt: instant().notNull(),
})

type GroupKeyed = Record<
  'spanDays' | 'block' | 'titleKey' | 'service' | 'isPrefill' | 'kind',
  AnyPgColumn
>

const groupKey = (name: string, table: GroupKeyed, client: AnyPgColumn[]) => {
  const { spanDays, block, titleKey, service, isPrefill, kind } = table
  return primaryKey({
    name,
    columns: [spanDays, block, titleKey, ...client, service, isPrefill, kind],
  })
}

/**
 * Downloads of one title, client and service, summed: the retro view's groups. `spanDays` 0 is all
 * time; 8 and 64 are blocks of that many days (UTC, by the start of a download), from which a range
 * is composed. One partition per span (see the migration).
 */
export const downloadGroups = pgTable(
  'download_groups',
  { ...groupColumns(), client: text().notNull() },
  (table) => [groupKey('download_groups_key', table, [table.client])],
)

/** download_groups without client: views of all clients read a fraction of its rows. */
export const titleGroups = pgTable('title_groups', groupColumns(), (table) => [
  groupKey('title_groups_key', table, []),
])

/**
 * Downloads by client and by the 8 days (UTC) in which they began, without their titles: counts of
 * lists, where their far pages begin, and sums by client. `ofAll` rows are all clients together, with an
 * empty client. `lastAt` only grows.
 */
export const downloadBlocks = pgTable(
  'download_blocks',
  {
    ofAll: boolean().notNull(),
    client: text().notNull(),
    block: integer().notNull(),
    service: text().notNull(),
    hasDepot: boolean().notNull(),
    isPrefill: boolean().notNull(),
    kind: smallint().notNull(),
    downloads: bytes().notNull(),
    hitBytes: bytes().notNull(),
    missBytes: bytes().notNull(),
    lastAt: instant().notNull(),
  },
  (table) => {
    const { ofAll, client, block, service, hasDepot, isPrefill, kind } = table
    return [
      primaryKey({
        name: 'download_blocks_key',
        columns: [ofAll, client, block, service, hasDepot, isPrefill, kind],
      }),
    ]
  },
)
