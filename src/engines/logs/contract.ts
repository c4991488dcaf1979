import type {
  LogRetentionInput,
  LogRetentionOutcome,
  LogRetentionSource,
} from './log-retention/log-retention-contract.ts'
import type { PrefillRun, SeenMark } from './downloads/prefill-runs.ts'
import type { LineCounts } from './lines/outcome.ts'
import type { MismatchReason } from './link/compare.ts'
import type {
  DeletionOutcome,
  RemovalOutcome,
  RemovalProgress,
  RemovalRequest,
} from './changes/removal-contract.ts'

export { markQuery } from './downloads/prefill-runs.ts'

/** What the log engine offers the main thread. Everything here crosses a thread as plain data. */

/** Names and values as in the response of `GET /api/Speeds/current`; `betaAppId` is our addition. */
export interface GameSpeed {
  depotId: number
  gameName: string | null
  gameAppId: number | null
  betaAppId: string | null
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

/** Limits of log ingestion, by what they count. */
export const limitNames = ['logFiles', 'servicesOfDay', 'titlesOfDay', 'openDownloads'] as const
export type LimitName = (typeof limitNames)[number]

/** One datasource in `GET /api/logs/positions`. */
export interface SourcePositions extends Omit<LineCounts, 'parsedLines' | 'blankLines'> {
  datasource: string
  position: number
  totalLines: number
  totalLinesPartial: boolean
  logPath: string
  enabled: boolean
  layout: 'monolithic' | 'bare_metal' | 'mixed'
  sourceCount: number
  sourcePositions: Record<string, number>
  incompleteFinalRecords: number
  filesWithErrors: string[]
  lastRunTerminalStatus:
    '' | 'completed' | 'completed_with_warnings' | 'partial' | 'failed' | 'cancelled'
  missingSourcesMessage: string | null
  problem: SourceProblem
  /** Unread bytes: decompressed where the size is known, else on disk. */
  backlogBytes: number
}

/** A row that the history refused. */
export interface QuarantinedRow {
  id: number
  kind: 'traffic' | 'download'
  /** The history's error. */
  reason: string
  /** The row as JSON, truncated. */
  sample: string
  setAsideAt: string
}

export interface QuarantineList {
  total: number
  /** The newest ones. */
  rows: QuarantinedRow[]
}

/** A limit that was reached; what exceeds it is left out or merged. */
export interface ReachedLimit {
  limit: LimitName
  /** The limit itself. */
  value: number
  /** Where it was reached, as text: a folder, a day. */
  subject: string
  /** When it was last reached. */
  at: string
}

/** A way to continue when positions and history do not belong together. */
export type MismatchChoice =
  /** Continue at the history's positions; reads again what it lacks, as far as logs exist. */
  | 'takePositions'
  /** Keep the history and count only new lines. */
  | 'goOn'
  /** Empty the history and count all existing logs again. */
  | 'rebuild'

/** `hot.sqlite` and the history do not belong together: one of them was lost or restored. */
export interface Mismatch {
  reason: MismatchReason
  choices: MismatchChoice[]
}

/** A reset of the history and of everything read. */
export interface EmptyingRequest {
  /** Where reading starts afterwards: all existing logs again, or only new lines. */
  startAt: 'beginning' | 'end'
  /** Also deletes the names of games; those of existing logs are learnt again. */
  forgetsTitles: boolean
}

/** Health of ingestion as a whole. */
export interface IngestStatus {
  /**
   * `reading`: catching up; `following`: at the end; `awaiting_setup`: a new installation; others
   * say why nothing is read.
   */
  state:
    | 'starting'
    | 'reading'
    | 'following'
    | 'awaiting_setup'
    | 'paused_outbox_full'
    | 'mismatch'
    | 'storage_failed'
    | 'storage_damaged'
    | 'stopped'
  message: string | null
  /** Null without a mismatch. */
  mismatch: Mismatch | null
  backlogBytes: number
  /**
   * Age in milliseconds of the oldest unread byte at the last poll; 0 at the end. Derived from the
   * time of the line before it: while an old log is imported, it is the log's age.
   */
  lagMs: number
  outbox: {
    downloads: number
    trafficRows: number
    /** Age of the oldest queued row, in seconds. */
    lagSeconds: number
    /** Disk space of queued rows, in bytes. */
    bytes: number
    lastShippedAt: string | null
    lastError: string | null
    /** Rows are queued and none can be sent. */
    isStuck: boolean
    /** Rows that the history refused, kept in quarantine. */
    quarantined: number
  }
  /** Limits that were reached since the start. */
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
  /** Megabytes read, and the total including the rest. */
  mbProcessed: number
  mbTotal: number
  elapsedMs: number
}

/** The main thread's view of the log engine (implemented in `facade.ts`). */
export interface LogEngine {
  start(): Promise<void>
  stop(): Promise<void>
  /** Tells the shipper that the history database is ready, and how to connect. */
  historyReady(connection: HistoryConnection): void
  speeds(): SpeedSnapshot
  /** Called at most twice a second while active, plus exactly one trailing zero snapshot. */
  onSpeeds(listener: (snapshot: SpeedSnapshot) => void): void
  /** Called after rows reached the history, at most once a second. */
  onShipped(listener: () => void): void
  /**
   * Called after rows of titles reached the history that had none since it became ready, at most
   * once a second.
   */
  onNewTitles(listener: () => void): void
  status(): IngestStatus
  /** The first-run set-up was completed: a new installation begins to read. */
  beginReading(): void
  positions(): Promise<SourcePositions[]>
  /**
   * Null: all datasources. Returns the new position: 0, or the number of complete records. On a
   * new installation, where reading starts; it begins with `beginReading` or `process`.
   */
  setPosition(datasource: string | null, to: 'beginning' | 'end'): Promise<number>
  /** Reads until every known file is at its end (or cancelled). One run at a time. */
  process(
    datasource: string | null,
    options: { signal: AbortSignal; progress(report: ProcessProgress): void },
  ): Promise<ProcessOutcome>
  /** Requests counted so far, even if their lines are no longer in a file. */
  countedRequests(): Promise<{ datasource: string; byService: Record<string, number> }[]>
  /**
   * Removes lines from the log files of one datasource. A line is counted before it is removed, so
   * totals do not change. Files are changed one after the other; a cancelled run keeps finished
   * ones. Rejects when the engine is not reading at the moment.
   */
  removeLines(
    request: RemovalRequest,
    options: { signal: AbortSignal; progress(report: RemovalProgress): void },
  ): Promise<RemovalOutcome>
  /** Deletes the log files of one datasource; in a shared layout only the current one. */
  deleteLogs(datasource: string): Promise<DeletionOutcome>
  /** State of each log file, and what the policy would do with it. */
  logRetentionStatus(input: LogRetentionInput): Promise<LogRetentionSource[]>
  /** Rotates, compresses and deletes log files according to the policy. */
  applyLogRetention(
    input: LogRetentionInput,
    options: { signal: AbortSignal },
  ): Promise<LogRetentionOutcome>
  /**
   * Waits until everything counted before now has reached the history; false: not within the time.
   * Rejects when the engine does not run.
   */
  untilShipped(withinMs: number): Promise<boolean>
  /** Rows that the history refused. */
  quarantine(): Promise<QuarantineList>
  /** Sends them again. Returns how many. */
  retryQuarantine(): Promise<number>
  /**
   * Called when a file that a proxy writes to was replaced or deleted, even before the last start.
   * After signalling the proxy to reopen its logs, call `logsReopened` with the mark.
   */
  onReopenWanted(listener: (mark: string) => void): void
  logsReopened(mark: string): Promise<void>
  /**
   * Continues after a mismatch in one of the offered ways. Rejects when there is none, the way is
   * not offered or the history is unavailable.
   */
  resolveMismatch(choice: MismatchChoice): Promise<void>
  /**
   * Sends nothing to the history until `releaseShipping`, ten minutes at most; resolves when the
   * current batch is over. `hot.sqlite` and the history then agree.
   */
  holdShipping(): Promise<void>
  releaseShipping(): Promise<void>
  /**
   * Empties the history and discards positions, counters and queued rows. Rejects when the history
   * is unavailable. Repeating it after a crash is safe.
   */
  emptyHistory(request: EmptyingRequest): Promise<void>
  /**
   * Replaces the runs of our prefill daemons: downloads of these times and addresses are prefill.
   * A worker that starts later gets the same ones.
   */
  setPrefillRuns(runs: readonly PrefillRun[]): void
  /** Called when the log shows from which address the cache sees a run that has begun. */
  onPrefillAddress(listener: (seen: SeenMark) => void): void
  /** Terminates the worker, even in an endless loop, and restarts it; no data is lost. */
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
