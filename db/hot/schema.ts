import {
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

/** Small facts of the file itself, for example the last download id handed out. */
export const meta = sqliteTable('meta', {
  key: text().primaryKey(),
  value: text().notNull(),
})

/**
 * One log file that was seen, whatever it is called now. Identity is the content's beginning
 * (up to one KiB of decompressed bytes), so a renamed, copied or compressed file keeps its
 * position; device and inode tell which file on disk carries it at the moment.
 */
export const logMember = sqliteTable(
  'log_member',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    datasource: text().notNull(),
    stem: text().notNull(),
    /** File name now, inside the log directory. */
    name: text().notNull(),
    device: text().notNull(),
    inode: text().notNull(),
    /** The first bytes themselves, at most 1 KiB, so that any shorter prefix can be compared. */
    head: blob({ mode: 'buffer' }).notNull(),
    /** Decompressed bytes consumed; everything before is committed. */
    offset: integer().notNull(),
    /** Complete records consumed. */
    lines: integer().notNull(),
    /** The position is inside a line that is too long to be read; the rest of it is passed over. */
    isInsideLongLine: integer({ mode: 'boolean' }).notNull(),
    /** Bytes on disk when last looked at, compressed for compressed members. */
    sizeBytes: integer().notNull(),
    modifiedMs: integer().notNull(),
    /** `open`: more may come; `complete`: read to its end for good; `gone`: no longer on disk. */
    state: text({ enum: ['open', 'complete', 'gone'] }).notNull(),
    error: text(),
    seenAt: integer({ mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('log_member_source').on(table.datasource, table.stem)],
)

/** Byte ranges that were passed over on request ("start at the end"); re-opened by "beginning". */
export const logSkipped = sqliteTable('log_skipped', {
  id: integer().primaryKey({ autoIncrement: true }),
  memberId: integer()
    .notNull()
    .references(() => logMember.id, { onDelete: 'cascade' }),
  /** First byte not yet read; moves forward while the range is read later. */
  fromByte: integer().notNull(),
  toByte: integer().notNull(),
  /** Complete records in the range, as far as they were counted. */
  lines: integer().notNull(),
  /** True once reading of this range was asked for. */
  isWanted: integer({ mode: 'boolean' }).notNull(),
  /** The range begins inside a line that is too long to be read. */
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
    impossibleTimeLines: integer().notNull().default(0),
    impossibleCountLines: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.datasource, table.stem] })],
)

/**
 * Objects whose title only the host of a request tells, for the index of the cache, whose keys have
 * no host. The newest million; ids only grow, so that readers see whether there is more.
 */
export const hostTitle = sqliteTable('host_title', {
  id: integer().primaryKey({ autoIncrement: true }),
  /** 53-bit hash of tag and normalised path, as in the index. */
  objectHash: integer().notNull().unique(),
  titleKey: text().notNull(),
})

/** All-time totals: the figures an independent count of the log must reproduce to the byte. */
export const counter = sqliteTable(
  'counter',
  {
    datasource: text().notNull(),
    service: text().notNull(),
    client: text().notNull(),
    hitBytes: integer().notNull(),
    missBytes: integer().notNull(),
    /** Every parsed request of this service and client, whatever its status. */
    requests: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.datasource, table.service, table.client] })],
)

/** A download as the history has it, but for the objects in it. Times in Unix seconds. */
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
export const openDownload = sqliteTable(
  'open_download',
  {
    ...downloadState(),
    lane: text().notNull(),
    /** Hash and key of each sampled object; the lowest hashes stay. */
    sample: text({ mode: 'json' }).$type<[hash: number, key: string][]>().notNull(),
    /** Revision that was handed to the outbox last; 0: none. */
    queuedRevision: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex('open_download_key').on(
      table.lane,
      table.client,
      table.tag,
      table.titleKey,
      table.isPrefill,
    ),
  ],
)

/** Newest state of downloads that the history does not have yet. Times in Unix seconds. */
export const downloadOutbox = sqliteTable(
  'download_outbox',
  {
    ...downloadState(),
    objectKeys: text({ mode: 'json' }).$type<string[]>().notNull(),
    /** Batch that carries this state; empty again as soon as the download changes. */
    batchId: text().notNull(),
    /** When the row began to wait, Unix milliseconds. */
    queuedAtMs: integer().notNull(),
  },
  (table) => [index('download_outbox_batch').on(table.batchId)],
)

/**
 * Traffic that the history does not have yet, summed per five-minute bucket. Rows are sealed into a
 * batch before they are sent; the history remembers batch ids, so sending one twice adds nothing.
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
    /** Downloads that began in this bucket. */
    downloads: integer().notNull(),
    firstAt: integer().notNull(),
    lastAt: integer().notNull(),
    /** When the row began to wait, Unix milliseconds. */
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
 * Rows that the history refused. They are in no report until they are sent again, which an
 * administrator asks for.
 */
export const quarantine = sqliteTable('quarantine', {
  id: integer().primaryKey({ autoIncrement: true }),
  kind: text({ enum: ['traffic', 'download'] }).notNull(),
  /** What the history answered. */
  reason: text().notNull(),
  /** The row of the outbox as it was, by column. */
  row: text().notNull(),
  setAsideAtMs: integer().notNull(),
})

/** Names that the logs of one day brought; there is a limit, see `DayNames`. */
export const dayName = sqliteTable(
  'day_name',
  {
    /** Its beginning, Unix seconds. */
    day: integer().notNull(),
    kind: text({ enum: ['service', 'title'] }).notNull(),
    name: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.kind, table.name] })],
)

/**
 * Batches that the history has not acknowledged, oldest first. Sealed once and never changed: the
 * positions are those up to which this batch and all before it hold everything that was read.
 */
export const sealedBatch = sqliteTable('sealed_batch', {
  /** Without gaps; the history knows the number of the last batch that it took. */
  seq: integer().primaryKey(),
  batchId: text().notNull().unique(),
  /** What changed since the batch before, as JSON; null: more rows of the same moment follow. */
  positions: text(),
  /** The file was flushed to the disk after the batch was sealed: it may be sent. */
  isDurable: integer({ mode: 'boolean' }).notNull().default(false),
})

/**
 * Positions that changed since the last batch was sealed; kept by triggers. Written for every open
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
