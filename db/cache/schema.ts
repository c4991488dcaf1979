import {
  blob,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

/** Small values of the file itself, for example when games were last detected. Values are JSON. */
export const meta = sqliteTable('meta', {
  key: text().primaryKey(),
  value: text().notNull(),
})

/** One cache directory tree, with the result of its last finished walk. Times in Unix ms. */
export const cacheRoot = sqliteTable('cache_root', {
  id: integer().primaryKey({ autoIncrement: true }),
  datasource: text().notNull().unique(),
  /** Canonical path, without links. Another path is another tree: its rows are dropped. */
  path: text().notNull(),
  scheme: text({ enum: ['monolithic', 'bare_metal'] }).notNull(),
  sliceBytes: integer().notNull(),
  /**
   * `new`: never completely walked; `walking`: a walk is running or was interrupted; `complete`;
   * `failed`: the last walk could not read everything. In every state, the figures are those of the
   * last complete walk.
   */
  state: text({ enum: ['new', 'walking', 'complete', 'failed'] }).notNull(),
  /** Why the last walk failed or changed nothing, as text; null without a problem. */
  problem: text(),
  files: integer().notNull(),
  bytes: integer().notNull(),
  /** Directories of both levels, and those of them with a hash name. */
  directories: integer().notNull(),
  hexDirectories: integer().notNull(),
  walkedAt: integer(),
  walkMs: integer().notNull(),
  /** First hash directory (0 to 65535) that an interrupted walk has not finished. */
  nextDir: integer().notNull(),
})

/** Hash directories at the last read of their names. */
export const cacheDirectory = sqliteTable(
  'cache_directory',
  {
    rootId: integer().notNull(),
    /** `last two hex digits of the digest, then the two before` as a number, 0 to 65535. */
    dir: integer().notNull(),
    /** -1: must be read again, whatever its mtime. */
    mtimeMs: real().notNull(),
    files: integer().notNull(),
    bytes: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.rootId, table.dir] })],
)

/** All cache files of one title (or of one tag, if it has no titles). */
export const cacheContent = sqliteTable(
  'cache_content',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    rootId: integer().notNull(),
    /** Prefix of the cache key, unchanged; part of every key of this content. */
    tag: text().notNull(),
    /** The tag's service in logs and reports (`wsus`, `steam`, `ip-address`, …). */
    service: text().notNull(),
    /** `alpha:<depot>`, `gamma:<product>`, …; empty where only the tag is known. */
    titleKey: text().notNull(),
    files: integer().notNull(),
    bytes: integer().notNull(),
    /** When the oldest and the newest cache file were stored, in Unix seconds. */
    firstStoredAt: integer().notNull(),
    lastStoredAt: integer().notNull(),
    /** Up to five of its shortest paths. */
    sampleUris: text({ mode: 'json' }).$type<string[]>().notNull(),
  },
  (table) => [uniqueIndex('cache_content_key').on(table.rootId, table.tag, table.titleKey)],
)

/**
 * One cache file. Stored in the order of the walk, so that inserts append; no other index, because
 * a scan of a million rows takes a fraction of a second (WITHOUT ROWID in the migration).
 */
export const cacheFile = sqliteTable(
  'cache_file',
  {
    rootId: integer().notNull(),
    dir: integer().notNull(),
    /** The file's name, as 16 bytes. */
    digest: blob({ mode: 'buffer' }).notNull(),
    /** 0: the key could not be read. */
    contentId: integer().notNull(),
    /** 53-bit hash of tag and path without the range: the same for all slices of one object. */
    objectHash: integer().notNull(),
    /** First byte of the slice; -1: stored whole; -2: stored whole by the fallback. */
    sliceStart: integer().notNull(),
    /** Length of the file on disk, header included. */
    bytes: integer().notNull(),
    /** 53-bit hash of the ETag, and the other facts in which slices of one object must agree. */
    etagHash: integer().notNull(),
    lastModifiedAt: integer().notNull(),
    /** Length of the whole object from Content-Range or Content-Length; -1: unknown. */
    objectBytes: integer().notNull(),
    /** Unix seconds, from the header. */
    storedAt: integer().notNull(),
    /** Fingerprint on disk; the inode modulo 2^53. */
    inode: integer().notNull(),
    mtimeMs: real().notNull(),
    ctimeMs: real().notNull(),
    /** Structural findings, one bit each (`structuralIssues`); 0: none. */
    issues: integer().notNull(),
    /** Why the file was skipped, as an index into `skipReasons` plus one; 0: it was judged. */
    skipped: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.rootId, table.dir, table.digest] })],
)

/**
 * Files that the current walk no longer found. They are deleted from the index only after a
 * successful walk, so that a disk that vanishes midway causes no loss (WITHOUT ROWID in the
 * migration).
 */
export const cacheGone = sqliteTable(
  'cache_gone',
  {
    rootId: integer().notNull(),
    dir: integer().notNull(),
    digest: blob({ mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.rootId, table.dir, table.digest] })],
)

/** Progress of structural scans per tree, so that an interrupted one can resume. */
export const structuralState = sqliteTable('structural_state', {
  rootId: integer().primaryKey(),
  /** `building`: a scan is running or was interrupted; `ready`: a baseline exists. */
  baseline: text({ enum: ['none', 'building', 'ready', 'incomplete'] }).notNull(),
  mode: text({ enum: ['full', 'incremental', 'baseline'] }).notNull(),
  /** First hash directory that the interrupted scan has not finished. */
  nextDir: integer().notNull(),
  /** Counts of the finished part, as JSON. */
  progress: text({ mode: 'json' }).$type<Record<string, number>>().notNull(),
  startedAt: integer().notNull(),
  committedAt: integer(),
  openedAt: integer().notNull(),
})

/** Finished corruption scans; the newest three of each method are kept. */
export const corruptionScan = sqliteTable(
  'corruption_scan',
  {
    id: text().primaryKey(),
    contractVersion: integer().notNull(),
    method: text({ enum: ['repeated_miss', 'structural'] }).notNull(),
    mode: text({ enum: ['full', 'incremental'] }),
    isCurrent: integer({ mode: 'boolean' }).notNull(),
    completedAt: integer().notNull(),
    settings: text({ mode: 'json' }).$type<Record<string, number | null>>().notNull(),
    coverage: text({ mode: 'json' }).$type<Record<string, unknown> | null>(),
    summary: text({ mode: 'json' }).$type<Record<string, unknown> | null>(),
  },
  (table) => [index('corruption_scan_method').on(table.method, table.completedAt)],
)

/** Findings of a scan; deleted with it. */
export const corruptionCandidate = sqliteTable(
  'corruption_candidate',
  {
    scanId: text()
      .notNull()
      .references(() => corruptionScan.id, { onDelete: 'cascade' }),
    id: text().notNull(),
    datasource: text().notNull(),
    service: text().notNull(),
    exactPaths: text({ mode: 'json' }).$type<string[]>().notNull(),
    evidence: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.scanId, table.id] }),
    index('corruption_candidate_service').on(table.scanId, table.service),
  ],
)
