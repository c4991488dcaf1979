import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Key in `meta`: what the history has. */
export const historyLinkKey = 'history_link'

/** Small values of the file itself, for example the last download id. */
export const meta = sqliteTable('meta', {
  key: text().primaryKey(),
  value: text().notNull(),
})

/**
 * One log file, whatever its current name. Its identity is the beginning of its content (up to one
 * KiB of decompressed bytes), so a renamed, copied or compressed file keeps its position; device
 * and inode identify its current file on disk.
 */
export const logMember = sqliteTable(
  'log_member',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    datasource: text().notNull(),
    stem: text().notNull(),
    /** Current file name in the log directory. */
    name: text().notNull(),
    device: text().notNull(),
    inode: text().notNull(),
    /** The first bytes themselves, at most 1 KiB, so that any shorter prefix can be compared. */
    head: blob({ mode: 'buffer' }).notNull(),
    /** Decompressed bytes consumed; everything before is committed. */
    offset: integer().notNull(),
    /** Complete records consumed. */
    lines: integer().notNull(),
    /** The position is inside an overlong line, the rest of which is skipped. */
    isInsideLongLine: integer({ mode: 'boolean' }).notNull(),
    /** Bytes on disk at the last check, compressed for compressed members. */
    sizeBytes: integer().notNull(),
    modifiedMs: integer().notNull(),
    /** `open`: may grow; `complete`: completely read; `gone`: no longer on disk. */
    state: text({ enum: ['open', 'complete', 'gone'] }).notNull(),
    error: text(),
    seenAt: integer({ mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('log_member_source').on(table.datasource, table.stem)],
)

/** Byte ranges that were skipped on request ("start at the end"); reopened by "beginning". */
export const logSkipped = sqliteTable('log_skipped', {
  id: integer().primaryKey({ autoIncrement: true }),
  memberId: integer()
    .notNull()
    .references(() => logMember.id, { onDelete: 'cascade' }),
  /** First byte not yet read; moves forward while the range is read later. */
  fromByte: integer().notNull(),
  toByte: integer().notNull(),
  /** Complete records in the range, as far as counted. */
  lines: integer().notNull(),
  /** True once this range was requested. */
  isWanted: integer({ mode: 'boolean' }).notNull(),
  /** The range begins inside an overlong line. */
  isInsideLongLine: integer({ mode: 'boolean' }).notNull().default(false),
})

/** Lines by outcome, per log series. */
export const logCounter = sqliteTable(
  'log_counter',
  {
    datasource: text().notNull(),
    stem: text().notNull(),
    parsedLines: integer().notNull(),
    unparsedLines: integer().notNull(),
    hintlessHttpDetailedLines: integer().notNull(),
    invalidEncodingLines: integer().notNull(),
    skippedFallbackLines: integer().notNull(),
    overlongLines: integer().notNull(),
    /** Heartbeats, health checks and own probes. */
    ignoredLines: integer().notNull(),
    blankLines: integer().notNull(),
    /** Parsed, but with an impossible time or byte count. */
    impossibleTimeLines: integer().notNull().default(0),
    impossibleCountLines: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.datasource, table.stem] })],
)

/**
 * Objects whose title only the host of a request identifies, for the cache index, whose keys have
 * no host. The newest million; ids only increase, so that readers can detect new objects.
 */
export const objectTitle = sqliteTable(
  'object_title',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    titleKey: text().notNull(),
    /** See `packHashes`: an index over single hashes would cost more than reading their lines. */
    objectHashes: blob({ mode: 'buffer' }).notNull(),
  },
  (table) => [index('object_title_key').on(table.titleKey)],
)

/** Sample of the requests of a datasource; see `ReuseSampler`. */
export const reuseSample = sqliteTable('reuse_sample', {
  datasource: text().primaryKey(),
  state: blob({ mode: 'buffer' }).notNull(),
})

/** Its changes since that state, in order. */
export const reuseChange = sqliteTable('reuse_change', {
  id: integer().primaryKey({ autoIncrement: true }),
  datasource: text().notNull(),
  changes: blob({ mode: 'buffer' }).notNull(),
})

/** All-time totals, which match an independent count of the log to the byte. */
export const counter = sqliteTable(
  'counter',
  {
    datasource: text().notNull(),
    service: text().notNull(),
    client: text().notNull(),
    hitBytes: integer().notNull(),
    missBytes: integer().notNull(),
    /** Every parsed request of this service and client, with any status. */
    requests: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.datasource, table.service, table.client] })],
)

/** A download as in the history, without its objects. Times in Unix seconds. */
const downloadState = () => ({
  id: integer().primaryKey(),
  datasource: text().notNull(),
  service: text().notNull(),
  tag: text().notNull(),
  client: text().notNull(),
  titleKey: text().notNull(),
  isPrefill: integer({ mode: 'boolean' }).notNull(),
  startedAt: integer().notNull(),
  endedAt: integer().notNull(),
  hitBytes: integer().notNull(),
  missBytes: integer().notNull(),
  requests: integer().notNull(),
  lastUrl: text().notNull(),
  revision: integer().notNull(),
})

/** Downloads that may still grow; a lane is one log series read in one direction of time. */
export const openDownload = sqliteTable('open_download', {
  ...downloadState(),
  lane: text().notNull(),
  /** Hash and key of each sampled object; the lowest hashes stay. */
  sample: text({ mode: 'json' }).$type<[hash: number, key: string][]>().notNull(),
  /** Revision last put into the outbox; 0: none. */
  queuedRevision: integer().notNull().default(0),
})

/** Newest state of downloads that the history does not have yet. Times in Unix seconds. */
export const downloadOutbox = sqliteTable(
  'download_outbox',
  {
    ...downloadState(),
    objectKeys: text({ mode: 'json' }).$type<string[]>().notNull(),
    /** Batch that contains this state; cleared as soon as the download changes. */
    batchId: text().notNull(),
    /** When the row was queued, in Unix milliseconds. */
    queuedAtMs: integer().notNull(),
  },
  (table) => [index('download_outbox_batch').on(table.batchId)],
)

/**
 * Traffic that the history does not have yet, summed per five-minute bucket. Rows are sealed into a
 * batch before they are sent; the history records batch ids, so a batch sent twice is added once.
 * Without row ids (see the migrations): a row and its key are one entry of one tree.
 */
export const trafficOutbox = sqliteTable(
  'traffic_outbox',
  {
    /** Empty while the row still grows. */
    batchId: text().notNull(),
    /** Start of the bucket, Unix seconds, a multiple of 300. */
    bucketAt: integer().notNull(),
    datasource: text().notNull(),
    service: text().notNull(),
    client: text().notNull(),
    titleKey: text().notNull(),
    isPrefill: integer({ mode: 'boolean' }).notNull(),
    hitBytes: integer().notNull(),
    missBytes: integer().notNull(),
    requests: integer().notNull(),
    /** Answered with another status than 200 and 206; in no other figure. */
    failedRequests: integer().notNull().default(0),
    /** Downloads that began in this bucket. */
    downloads: integer().notNull(),
    firstAt: integer().notNull(),
    lastAt: integer().notNull(),
    /** When the row was queued, in Unix milliseconds. */
    queuedAtMs: integer().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.batchId,
        table.bucketAt,
        table.datasource,
        table.service,
        table.client,
        table.titleKey,
        table.isPrefill,
      ],
    }),
  ],
)

/**
 * Rows that the history refused. They are in no report until an administrator has them sent again.
 */
export const quarantine = sqliteTable('quarantine', {
  id: integer().primaryKey({ autoIncrement: true }),
  kind: text({ enum: ['traffic', 'download'] }).notNull(),
  /** The history's error. */
  reason: text().notNull(),
  /** The unchanged row of the outbox, by column. */
  row: text().notNull(),
  setAsideAtMs: integer().notNull(),
})

/** New names of one day's logs; their number is limited, see `DayNames`. */
export const dayName = sqliteTable(
  'day_name',
  {
    /** Start of the day, in Unix seconds. */
    day: integer().notNull(),
    kind: text({ enum: ['service', 'title'] }).notNull(),
    name: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.kind, table.name] })],
)

/**
 * Batches that the history has not acknowledged, oldest first. Sealed once and never changed: this
 * batch and all earlier ones hold everything read up to the positions.
 */
export const sealedBatch = sqliteTable('sealed_batch', {
  /** Without gaps; the history stores the number of its last batch. */
  seq: integer().primaryKey(),
  batchId: text().notNull().unique(),
  /** Changes since the previous batch, as JSON; null: more rows of the same moment follow. */
  positions: text(),
  /** The file was flushed to disk after the batch was sealed: it may be sent. */
  isDurable: integer({ mode: 'boolean' }).notNull().default(false),
})

/**
 * Positions changed since the last batch was sealed; kept by triggers. Written for every open
 * download of a commit, therefore without row ids (see the migration).
 */
export const positionChange = sqliteTable(
  'position_change',
  {
    kind: text({ enum: ['member', 'skipped', 'open'] }).notNull(),
    id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] })],
)
