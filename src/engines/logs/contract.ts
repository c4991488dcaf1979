import type { CustodyInput, CustodyOutcome, CustodySource } from './custody/custody-contract.ts'
import type { MismatchReason } from './link/compare.ts'
import type {
  DeletionOutcome,
  RemovalOutcome,
  RemovalProgress,
  RemovalRequest,
} from './changes/removal-contract.ts'

/** What the log engine promises to the main thread. Everything here crosses a thread as plain data. */

/** Names and values as on the wire of `GET /api/Speeds/current`. */
export interface GameSpeed {
  depotId: number
  gameName: string | null
  gameAppId: number | null
  service: string
  clientIp: string
  bytesPerSecond: number
  /** Bytes inside the window. */
  totalBytes: number
  requestCount: number
  cacheHitBytes: number
  cacheMissBytes: number
  cacheHitPercent: number
  isEvicted: boolean
}

export interface ClientSpeed {
  clientIp: string
  bytesPerSecond: number
  totalBytes: number
  activeGames: number
  cacheHitBytes: number
  cacheMissBytes: number
}

export interface SpeedSnapshot {
  timestampUtc: string
  totalBytesPerSecond: number
  gameSpeeds: GameSpeed[]
  clientSpeeds: ClientSpeed[]
  windowSeconds: number
  entriesInWindow: number
  hasActiveDownloads: boolean
}

export const emptySpeeds = (now: Date): SpeedSnapshot => ({
  timestampUtc: now.toISOString(),
  totalBytesPerSecond: 0,
  gameSpeeds: [],
  clientSpeeds: [],
  windowSeconds: 2,
  entriesInWindow: 0,
  hasActiveDownloads: false,
})

export const sourceProblems = [
  'none',
  'missing_directory',
  'permission_denied',
  'no_sources',
  'unreadable_file',
  'too_many_files',
] as const
export type SourceProblem = (typeof sourceProblems)[number]

/** Bounds of the reading of logs, by what they count. */
export const limitNames = ['logFiles', 'servicesOfDay', 'titlesOfDay', 'openDownloads'] as const
export type LimitName = (typeof limitNames)[number]

/** One datasource as `GET /api/logs/positions` shows it. */
export interface SourcePositions {
  datasource: string
  position: number
  totalLines: number
  totalLinesPartial: boolean
  logPath: string
  enabled: boolean
  layout: 'monolithic' | 'bare_metal' | 'mixed'
  sourceCount: number
  sourcePositions: Record<string, number>
  unparsedLines: number
  hintlessHttpDetailedLines: number
  invalidEncodingLines: number
  skippedFallbackLines: number
  overlongLines: number
  ignoredLines: number
  impossibleTimeLines: number
  impossibleCountLines: number
  incompleteFinalRecords: number
  filesWithErrors: string[]
  lastRunTerminalStatus:
    '' | 'completed' | 'completed_with_warnings' | 'partial' | 'failed' | 'cancelled'
  missingSourcesMessage: string | null
  problem: SourceProblem
  /** Bytes not read yet, decompressed size where known, else size on disk. */
  backlogBytes: number
}

/** A row that the history refused. */
export interface QuarantinedRow {
  id: number
  kind: 'traffic' | 'download'
  /** What the history answered. */
  reason: string
  /** The row as JSON, cut. */
  sample: string
  setAsideAt: string
}

export interface QuarantineList {
  total: number
  /** The newest ones. */
  rows: QuarantinedRow[]
}

/** A bound that was reached; what exceeds it is left out or put together. */
export interface ReachedLimit {
  limit: LimitName
  /** The bound itself. */
  value: number
  /** What it is about, for people: a folder, a day. */
  subject: string
  /** When it was reached last. */
  at: string
}

/** A way to go on when positions and history do not belong together. */
export type MismatchChoice =
  /** Read on where the history stands; what it lacks is read again, as far as there are logs. */
  | 'takePositions'
  /** Keep the history as it is and count only what comes from now on. */
  | 'goOn'
  /** Empty the history and count all logs that are there anew. */
  | 'rebuild'

/** `hot.sqlite` and the history do not belong together: one of them was lost or put back. */
export interface Mismatch {
  reason: MismatchReason
  choices: MismatchChoice[]
}

/** Health of ingestion as a whole. */
export interface IngestStatus {
  /** `reading`: behind, catching up; `following`: at the end; others say why nothing is read. */
  state:
    | 'starting'
    | 'reading'
    | 'following'
    | 'paused_outbox_full'
    | 'mismatch'
    | 'storage_failed'
    | 'storage_damaged'
    | 'stopped'
  message: string | null
  /** Null while all is well. */
  mismatch: Mismatch | null
  backlogBytes: number
  /**
   * Age of the oldest byte that is not read yet, as seen at the last poll, milliseconds; 0 at the
   * end. Told by the time of the line before it: while an old log is imported it is the log's age.
   */
  lagMs: number
  outbox: {
    downloads: number
    trafficRows: number
    /** Age of the oldest row that waits, seconds. */
    lagSeconds: number
    /** Disk used by waiting rows, bytes. */
    bytes: number
    lastShippedAt: string | null
    lastError: string | null
    /** Rows wait and none gets through. */
    isStuck: boolean
    /** Rows that the history refused and that were set aside. */
    quarantined: number
  }
  /** Bounds that were reached since the start. */
  limits: ReachedLimit[]
}

export interface ProcessProgress {
  percentComplete: number
  mbProcessed: number
  mbTotal: number
  entriesProcessed: number
  totalLines: number
}

export type ProcessOutcome = {
  terminalStatus: 'completed' | 'completed_with_warnings' | 'partial' | 'failed' | 'cancelled'
  entriesProcessed: number
  linesProcessed: number
  /** What was read, and that with what is left to read. */
  mbProcessed: number
  mbTotal: number
  elapsedMs: number
}

/** The main thread's view of the log engine (implemented in `facade.ts`). */
export interface LogEngine {
  start(): Promise<void>
  stop(): Promise<void>
  /** Tells the shipper that the history database can be written to, and how to reach it. */
  historyReady(connection: HistoryConnection): void
  speeds(): SpeedSnapshot
  /** Called at most twice a second while active, plus exactly one trailing zero snapshot. */
  onSpeeds(listener: (snapshot: SpeedSnapshot) => void): void
  /** Called after rows reached the history, at most once a second. */
  onShipped(listener: () => void): void
  status(): IngestStatus
  positions(): Promise<SourcePositions[]>
  /** Null: all datasources. Answers the position afterwards: 0, or complete records counted. */
  setPosition(datasource: string | null, to: 'beginning' | 'end'): Promise<number>
  /** Reads until every known file is at its end (or cancelled). One run at a time. */
  process(
    datasource: string | null,
    options: { signal: AbortSignal; progress(report: ProcessProgress): void },
  ): Promise<ProcessOutcome>
  /** Requests that were counted so far, whether or not their lines still lie in a file. */
  countedRequests(): Promise<{ datasource: string; byService: Record<string, number> }[]>
  /**
   * Removes lines from the log files of one datasource. A line is counted before it is removed, so
   * no total changes. Files are changed one after the other; a cancelled run keeps what is done.
   * Rejects when the engine does not read at the moment.
   */
  removeLines(
    request: RemovalRequest,
    options: { signal: AbortSignal; progress(report: RemovalProgress): void },
  ): Promise<RemovalOutcome>
  /** Deletes the log files of one datasource, of a shared layout only the current one. */
  deleteLogs(datasource: string): Promise<DeletionOutcome>
  /** What is known of each log file, and what would be done with it. */
  custodyStatus(input: CustodyInput): Promise<CustodySource[]>
  /** Puts aside, compresses and deletes log files as the policy says. */
  keepCustody(input: CustodyInput, options: { signal: AbortSignal }): Promise<CustodyOutcome>
  /**
   * Waits until everything that was counted before now has reached the history; false: it has not
   * within the milliseconds. Rejects when the engine does not run.
   */
  untilShipped(withinMs: number): Promise<boolean>
  /** Rows that the history refused. */
  quarantine(): Promise<QuarantineList>
  /** Sends them again. Answers how many. */
  retryQuarantine(): Promise<number>
  /**
   * Called when a file that a proxy writes to was replaced or deleted, also before the last start.
   * Whoever told the proxy to reopen its logs says so with the mark.
   */
  onReopenWanted(listener: (mark: string) => void): void
  logsReopened(mark: string): Promise<void>
  /**
   * Goes on after a mismatch in one of the offered ways. Rejects when there is none, the way is not
   * offered or the history is away.
   */
  resolveMismatch(choice: MismatchChoice): Promise<void>
  /** Terminates the worker even in an endless loop and starts it again; nothing is lost. */
  forceKill(): Promise<void>
}

/** Options for the `postgres` client, as plain data. */
export interface HistoryConnection {
  host: string
  port: number
  database: string
  user: string
  password: string
}
