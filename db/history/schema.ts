import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

const bytes = () => bigint({ mode: 'number' })
const instant = () => timestamp({ withTimezone: true, mode: 'date' })

/** One row per download: client, tag and title with gaps of at most five minutes. */
export const downloads = pgTable(
  'downloads',
  {
    id: bigint({ mode: 'number' }).primaryKey(),
    datasource: text().notNull(),
    service: text().notNull(),
    /** The proxy's own tag, part of the cache key; `service` is its display form. */
    tag: text().notNull(),
    client: text().notNull(),
    titleKey: text().notNull(),
    isPrefill: boolean().notNull(),
    startedAt: instant().notNull(),
    endedAt: instant().notNull(),
    hitBytes: bytes().notNull(),
    missBytes: bytes().notNull(),
    requests: bytes().notNull(),
    lastUrl: text().notNull(),
    /** Up to 32 of its objects, `<first byte> <normalised uri>`, by lowest hash. */
    objectKeys: text().array().notNull(),
    isEvicted: boolean().notNull().default(false),
    /** Grows with every state that was shipped; an older state never overwrites a newer one. */
    revision: integer().notNull(),
  },
  (table) => [
    index('downloads_ended').on(table.endedAt.desc(), table.id.desc()),
    index('downloads_started').on(table.startedAt.desc(), table.id.desc()),
    index('downloads_service').on(table.service, table.endedAt.desc()),
    index('downloads_client').on(table.client, table.endedAt.desc()),
    index('downloads_title').on(table.titleKey, table.endedAt.desc()),
  ],
)

const trafficColumns = () => ({
  /** Start of the bucket. */
  bucketAt: instant().notNull(),
  datasource: text().notNull(),
  service: text().notNull(),
  client: text().notNull(),
  titleKey: text().notNull(),
  isPrefill: boolean().notNull(),
  hitBytes: bytes().notNull(),
  missBytes: bytes().notNull(),
  requests: bytes().notNull(),
  /** Downloads that began in this bucket. */
  downloads: bytes().notNull(),
  firstAt: instant().notNull(),
  lastAt: instant().notNull(),
})

/** Five-minute buckets, one partition per month (made on demand by the shipper). */
export const traffic = pgTable('traffic', trafficColumns(), (table) => [
  primaryKey({
    columns: [
      table.bucketAt,
      table.datasource,
      table.service,
      table.client,
      table.titleKey,
      table.isPrefill,
    ],
  }),
])

/** The same sums per hour (UTC): what a month is read from. */
export const trafficHour = pgTable('traffic_hour', trafficColumns(), (table) => [
  primaryKey({
    columns: [
      table.bucketAt,
      table.datasource,
      table.service,
      table.client,
      table.titleKey,
      table.isPrefill,
    ],
  }),
])

/** The same sums per day (UTC): what years are read from. */
export const trafficDay = pgTable('traffic_day', trafficColumns(), (table) => [
  primaryKey({
    columns: [
      table.bucketAt,
      table.datasource,
      table.service,
      table.client,
      table.titleKey,
      table.isPrefill,
    ],
  }),
])

/** What a title key stands for. Names may come later: reports join this, nothing is rewritten. */
export const titles = pgTable(
  'titles',
  {
    titleKey: text().primaryKey(),
    /** alpha … epsilon, or null for services without titles. */
    platform: text(),
    service: text().notNull(),
    gameName: text(),
    gameAppId: bigint({ mode: 'number' }),
    betaAppId: text(),
    epsilonProductId: text(),
    depotId: bigint({ mode: 'number' }),
    imageUrl: text(),
    updatedAt: instant().notNull(),
  },
  (table) => [index('titles_app').on(table.gameAppId), index('titles_name').on(table.gameName)],
)

/** Batches of traffic that were added already; a batch that arrives again is not added again. */
export const shippedBatch = pgTable(
  'shipped_batch',
  { batchId: uuid().primaryKey(), shippedAt: instant().notNull() },
  (table) => [index('shipped_batch_at').on(table.shippedAt)],
)

export const events = pgTable(
  'events',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    name: text().notNull(),
    description: text(),
    startAt: instant().notNull(),
    endAt: instant().notNull(),
    startLocal: text().notNull(),
    endLocal: text().notNull(),
    colorIndex: smallint().notNull(),
    createdAt: instant().notNull(),
    updatedAt: instant(),
  },
  (table) => [index('events_range').on(table.startAt, table.endAt)],
)

/** Downloads that belong to an event. A removed tag stays as a row so that it is not added again. */
export const eventDownloads = pgTable(
  'event_downloads',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    eventId: bigint({ mode: 'number' })
      .notNull()
      .references(() => events.id, { onDelete: 'cascade' }),
    downloadId: bigint({ mode: 'number' })
      .notNull()
      .references(() => downloads.id, { onDelete: 'cascade' }),
    taggedAt: instant().notNull(),
    isAutomatic: boolean().notNull(),
    isRemoved: boolean().notNull().default(false),
  },
  (table) => [
    uniqueIndex('event_downloads_pair').on(table.eventId, table.downloadId),
    index('event_downloads_download').on(table.downloadId),
  ],
)

/** Size of the cache over time. */
export const cacheSnapshots = pgTable('cache_snapshots', {
  takenAt: instant().primaryKey(),
  usedBytes: bytes().notNull(),
  totalBytes: bytes().notNull(),
  usedRatio: doublePrecision().notNull(),
})
