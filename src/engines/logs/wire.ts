import { Type, type Static } from '@sinclair/typebox'
import {
  Flag,
  Int,
  LargeInt,
  Model,
  Nullable,
  Num,
  Percent,
  stringUnion,
  Text,
  TextOf,
  Utc,
} from '../../core/lib/schema.ts'
import type { MismatchReason } from './link/compare.ts'

/*
 * What the log engine reports and the API answers, in one declaration. Workers import only types
 * from here, so that they do not load TypeBox.
 */

/** Names and values as in the contract; `betaAppId` is our addition. */
export const GameSpeed = Model('GameSpeedInfo', {
  depotId: Int,
  gameName: Nullable(Text),
  gameAppId: Nullable(Int),
  betaAppId: Nullable(Text),
  service: Text,
  clientIp: Text,
  bytesPerSecond: Num,
  /** Bytes inside the window. */
  totalBytes: Int,
  requestCount: Int,
  cacheHitBytes: Int,
  cacheMissBytes: Int,
  cacheHitPercent: Percent,
  isEvicted: Flag,
})
export type GameSpeed = Static<typeof GameSpeed>

const ClientSpeed = Model('ClientSpeedInfo', {
  clientIp: Text,
  bytesPerSecond: Num,
  totalBytes: Int,
  activeGames: Int,
  cacheHitBytes: Int,
  cacheMissBytes: Int,
})
export type ClientSpeed = Static<typeof ClientSpeed>

export const SpeedSnapshot = Model('CurrentSpeeds', {
  timestampUtc: Utc,
  totalBytesPerSecond: Num,
  gameSpeeds: Type.Array(GameSpeed),
  clientSpeeds: Type.Array(ClientSpeed),
  windowSeconds: Int,
  entriesInWindow: Int,
  hasActiveDownloads: Flag,
})
export type SpeedSnapshot = Static<typeof SpeedSnapshot>

const sourceProblems = [
  'none',
  'missing_directory',
  'permission_denied',
  'no_sources',
  'unreadable_file',
  'too_many_files',
] as const
export const SourceProblem = stringUnion(sourceProblems)
export type SourceProblem = Static<typeof SourceProblem>

/** Lines of log files that were read. */
export const LinesRead = Type.Integer({
  ...LargeInt,
  description: 'Lines of the log files that were read',
})

/** One datasource in `GET /api/logs/positions`. */
export const SourcePositions = Model('SourcePositions', {
  datasource: Text,
  position: LinesRead,
  totalLines: Int,
  totalLinesPartial: Flag,
  logPath: Text,
  enabled: Flag,
  layout: stringUnion(['monolithic', 'bare_metal', 'mixed']),
  sourceCount: Int,
  sourcePositions: Type.Record(Text, Int),
  unparsedLines: Int,
  hintlessHttpDetailedLines: Int,
  invalidEncodingLines: Int,
  skippedFallbackLines: Int,
  overlongLines: Int,
  ignoredLines: Int,
  impossibleTimeLines: Int,
  impossibleCountLines: Int,
  incompleteFinalRecords: Int,
  filesWithErrors: Type.Array(Text),
  lastRunTerminalStatus: stringUnion([
    '',
    'completed',
    'completed_with_warnings',
    'partial',
    'failed',
    'cancelled',
  ]),
  missingSourcesMessage: Nullable(Text),
  problem: stringUnion([...sourceProblems, 'node_away']),
  /** Unread bytes: decompressed where the size is known, else on disk. */
  backlogBytes: Int,
})
export type SourcePositions = Static<typeof SourcePositions>

/** A row that the history refused. */
const QuarantinedRow = Type.Object({
  id: Int,
  kind: stringUnion(['traffic', 'download']),
  /** The history's error. */
  reason: Text,
  /** The row as JSON, truncated. */
  sample: Text,
  setAsideAt: Utc,
})
export type QuarantinedRow = Static<typeof QuarantinedRow>

/** The newest rows; `total` counts all. */
export const QuarantineList = Type.Object({ total: Int, rows: Type.Array(QuarantinedRow) })
export type QuarantineList = Static<typeof QuarantineList>

/** A limit of log ingestion that was reached; what exceeds it is left out or merged. */
const ReachedLimit = Type.Object({
  limit: stringUnion(['logFiles', 'servicesOfDay', 'titlesOfDay', 'openDownloads']),
  /** The limit itself. */
  value: Int,
  /** Where it was reached, as text: a folder, a day. */
  subject: Text,
  /** When it was last reached. */
  at: Utc,
})
export type ReachedLimit = Static<typeof ReachedLimit>

/** A way to continue when positions and history do not belong together. */
export const MismatchChoice = stringUnion([
  /** Continue at the history's positions; reads again what it lacks, as far as logs exist. */
  'takePositions',
  /** Keep the history and count only new lines. */
  'goOn',
  /** Empty the history and count all existing logs again. */
  'rebuild',
])
export type MismatchChoice = Static<typeof MismatchChoice>

/** `hot.sqlite` and the history do not belong together: one of them was lost or restored. */
const Mismatch = Type.Object({
  reason: TextOf<MismatchReason>(),
  /** For `/api/ext/history-link`. */
  choices: Type.Array(MismatchChoice),
})
export type Mismatch = Static<typeof Mismatch>

const Outbox = Model('Outbox', {
  downloads: Int,
  trafficRows: Int,
  /** Age of the oldest queued row, in seconds. */
  lagSeconds: Num,
  /** Disk space of queued rows, in bytes. */
  bytes: Int,
  lastShippedAt: Nullable(Utc),
  lastError: Nullable(Text),
  /** Rows are queued and none can be sent. */
  isStuck: Flag,
  /** Rows that the history refused; `/api/ext/logs/quarantine` lists them. */
  quarantined: Int,
})

type IngestState =
  | 'starting'
  | 'reading'
  | 'following'
  | 'awaiting_setup'
  | 'paused_outbox_full'
  | 'mismatch'
  | 'storage_failed'
  | 'storage_damaged'
  | 'stopped'

/** Health of ingestion as a whole. */
export const IngestStatus = Model('Ingest', {
  /**
   * `reading`: catching up; `following`: at the end; `awaiting_setup`: a new installation; others
   * say why nothing is read.
   */
  state: TextOf<IngestState>(),
  message: Nullable(Text),
  /** Null without a mismatch. */
  mismatch: Nullable(Mismatch),
  backlogBytes: Int,
  /** Share of the logs read so far, 0 to 100; null once the end was reached for the first time. */
  firstReadPercent: Nullable(Percent),
  /**
   * Age in milliseconds of the oldest unread byte at the last poll; 0 at the end. Derived from the
   * time of the line before it: while an old log is imported, it is the log's age.
   */
  lagMs: Num,
  outbox: Outbox,
  /** Limits that were reached since the start. */
  limits: Type.Array(ReachedLimit),
})
export type IngestStatus = Static<typeof IngestStatus>
