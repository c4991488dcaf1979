import { sql } from 'drizzle-orm'
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
  uniqueIndex,
  uuid,
  type AnyPgColumn,
} from 'drizzle-orm/pg-core'
import { bytes, instant } from './group-schema.ts'

export * from './group-schema.ts'

/**
 * Downloads that the retro view lists individually; queries must repeat this condition literally to
 * use the partial indexes.
 */
const isSingle = sql`NOT starts_with(title_key, 'alpha:') AND NOT is_prefill`

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
    isEvicted: boolean().notNull().default(false),
    /** Increases with every shipped state; an older state never overwrites a newer one. */
    revision: integer().notNull(),
  },
  // Ascending on purpose: read backwards they serve `order by x desc, id desc`, which an index
  // declared `desc nulls last` does not.
  (table) => [
    index('downloads_ended').on(table.endedAt, table.id),
    index('downloads_started').on(table.startedAt, table.id),
    index('downloads_service').on(table.service, table.endedAt),
    index('downloads_client').on(table.client, table.endedAt),
    index('downloads_title_client').on(table.titleKey, table.client, table.endedAt),
    // The newest of a title, whatever the client. The migration adds an INCLUDE column, so that their
    // ids are found without reading the rows, which are scattered.
    index('downloads_title').on(table.titleKey, table.endedAt, table.id),
    index('downloads_evicted')
      .on(table.id)
      .where(sql`is_evicted`),
    // For the retro view's single rows by size and by share. The migration adds INCLUDE columns, so
    // that rows which a filter drops are skipped by an index-only scan; the other orders are those of
    // the indexes above.
    index('downloads_single_size')
      .on(sql`(${table.hitBytes} + ${table.missBytes})`, table.endedAt, table.id)
      .where(isSingle),
    index('downloads_single_efficiency')
      .on(
        sql`(${table.hitBytes}::float8 / greatest(${table.hitBytes} + ${table.missBytes}, 1))`,
        table.endedAt,
        table.id,
      )
      .where(isSingle),
  ],
)

/**
 * A sample of each download's objects, for eviction and sample URLs. Separate from `downloads`,
 * because it is ten times as wide and no list or sum reads it. Triggers on downloads delete its rows
 * with theirs: a foreign key would check every row that is shipped.
 */
export const downloadObjects = pgTable('download_objects', {
  downloadId: bigint({ mode: 'number' }).primaryKey(),
  /** Up to 32 of its objects, `<first byte> <normalised uri>`, by lowest hash. */
  objectKeys: text().array().notNull(),
})

const sums = () => ({
  hitBytes: bytes().notNull(),
  missBytes: bytes().notNull(),
  requests: bytes().notNull(),
  /** Downloads that began in this bucket. */
  downloads: bytes().notNull(),
  firstAt: instant().notNull(),
  lastAt: instant().notNull(),
})

const trafficColumns = () => ({
  /** Start of the bucket. */
  bucketAt: instant().notNull(),
  datasource: text().notNull(),
  service: text().notNull(),
  client: text().notNull(),
  titleKey: text().notNull(),
  isPrefill: boolean().notNull(),
  ...sums(),
})

type TrafficKeyed = Record<
  'bucketAt' | 'datasource' | 'service' | 'client' | 'titleKey' | 'isPrefill',
  AnyPgColumn
>

// Columns in which most rows differ come first: keys are compared column by column.
const restOfKey = (table: TrafficKeyed) =>
  [table.client, table.service, table.datasource, table.isPrefill] as const

/** Five-minute buckets, one partition per month (created on demand by the shipper). */
export const traffic = pgTable('traffic', trafficColumns(), (table) => [
  primaryKey({
    name: 'traffic_key',
    columns: [table.bucketAt, table.titleKey, ...restOfKey(table)],
  }),
])

/** Kept by title, and by time in an index without any text. */
const byTitle = <Name extends string>(name: Name) =>
  pgTable(name, trafficColumns(), (table) => [
    primaryKey({
      name: `${name}_key`,
      columns: [table.titleKey, table.bucketAt, ...restOfKey(table)],
    }),
    index(`${name}_bucket`).on(table.bucketAt),
  ])

/** The same sums per hour (UTC): source for months. */
export const trafficHour = byTitle('traffic_hour')

/** The same sums per day (UTC): source for years. */
export const trafficDay = byTitle('traffic_day')

// Roll-ups for reports. Only triggers write them: those on the traffic tables and downloads keep
// them equal to their source in the same transaction (`rollups.sql`). They make a
// year cost milliseconds: hours x services instead of hours x services x clients x titles.

const byService = <Name extends string>(name: Name) =>
  pgTable(
    name,
    {
      bucketAt: instant().notNull(),
      service: text().notNull(),
      isPrefill: boolean().notNull(),
      ...sums(),
    },
    (table) => [primaryKey({ columns: [table.bucketAt, table.service, table.isPrefill] })],
  )

/**
 * traffic by quarter hours without client, title and datasource: for zones with half-hour offsets.
 */
export const serviceQuarter = byService('service_quarter')

const byTime = <Name extends string>(name: Name) =>
  pgTable(
    name,
    { bucketAt: instant().notNull(), isPrefill: boolean().notNull(), ...sums() },
    (table) => [primaryKey({ columns: [table.bucketAt, table.isPrefill] })],
  )

/** traffic_hour without any dimension: sums over time. */
export const timeHour = byTime('time_hour')

/** time_hour by day: sums over years. */
export const timeDay = byTime('time_day')

/**
 * time_hour by blocks of 8 days since 1970 and hour of the day (UTC): `bucketAt` is that hour on the first
 * day of its block.
 */
export const hourBlock = byTime('hour_block')

/** The hour of each day (UTC) with the most bytes, without prefill; the first of equal ones. */
export const dayPeak = pgTable('day_peak', {
  bucketAt: instant().primaryKey(),
  hourAt: instant().notNull(),
  hitBytes: bytes().notNull(),
  missBytes: bytes().notNull(),
})

/** traffic_hour without client, title and datasource. */
export const serviceHour = byService('service_hour')

/** traffic_day without client, title and datasource. */
export const serviceDay = byService('service_day')

/** service_day by blocks of 64 days since 1970: sums of years. */
export const serviceBlock = byService('service_block')

/** traffic_day without client and datasource: years of one game. */
export const titleDay = pgTable(
  'title_day',
  {
    bucketAt: instant().notNull(),
    titleKey: text().notNull(),
    service: text().notNull(),
    isPrefill: boolean().notNull(),
    ...sums(),
  },
  (table) => [
    primaryKey({ columns: [table.titleKey, table.bucketAt, table.service, table.isPrefill] }),
  ],
)

const clientColumns = () => ({
  bucketAt: instant().notNull(),
  client: text().notNull(),
  isPrefill: boolean().notNull(),
  ...sums(),
})

const byClient = <Name extends string>(name: Name) =>
  pgTable(name, clientColumns(), (table) => [
    primaryKey({ columns: [table.bucketAt, table.client, table.isPrefill] }),
  ])

/** traffic_day without service, title and datasource. */
export const clientDay = byClient('client_day')

/** client_day by blocks of 64 days since 1970. */
export const clientBlock = byClient('client_block')

/** traffic_hour without service, title and datasource: for sums without excluded clients. */
export const clientHour = pgTable('client_hour', clientColumns(), (table) => [
  primaryKey({ columns: [table.bucketAt, table.client, table.isPrefill] }),
  // Hours of one client, to show or to subtract from the total. The migration adds INCLUDE
  // columns: its rows are scattered, each on a page of its own.
  index('client_hour_client').on(table.client, table.bucketAt),
])

const byClientAndService = <Name extends string>(name: Name) =>
  pgTable(name, { ...clientColumns(), service: text().notNull() }, (table) => [
    primaryKey({ columns: [table.bucketAt, table.client, table.service, table.isPrefill] }),
  ])

/** traffic_day without title and datasource: services without excluded clients. */
export const clientServiceDay = byClientAndService('client_service_day')

/** client_service_day by blocks of 64 days since 1970. */
export const clientServiceBlock = byClientAndService('client_service_block')

/**
 * Requests that were answered with another status than 200 and 206: in no other figure. Once by five
 * minutes and once by day (UTC), so that years are read from few rows.
 */
export const failedRequests = pgTable(
  'failed_requests',
  {
    /** 300 or 86,400. */
    spanSeconds: integer().notNull(),
    bucketAt: instant().notNull(),
    datasource: text().notNull(),
    service: text().notNull(),
    client: text().notNull(),
    isPrefill: boolean().notNull(),
    requests: bytes().notNull(),
  },
  ({ spanSeconds, bucketAt, datasource, service, client, isPrefill }) => [
    primaryKey({
      name: 'failed_requests_key',
      columns: [spanSeconds, bucketAt, datasource, service, client, isPrefill],
    }),
  ],
)

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

/** Batches of traffic that were already added; a repeated batch is not added again. */
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
    /** Everything that the history has of its time carries its tag; false after a change of dates. */
    isTagged: boolean().notNull().default(false),
  },
  (table) => [index('events_range').on(table.startAt, table.endAt)],
)

/** Downloads of an event. A removed tag stays as a row so that it is not added again. */
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
