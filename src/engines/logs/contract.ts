import type { Watch } from '../engine.ts'
import type { EmptyingRequest } from '../inputs.ts'
import type { HistoryTarget } from '../../../db/history/connect.ts'
import type {
  LogRetentionInput,
  LogRetentionOutcome,
  LogRetentionSource,
} from './log-retention/wire.ts'
import type { HistoryPart } from '../shipper/link.ts'
import type { HistoryAnswer, HistoryCall } from '../shipper/service-history.ts'
import type { PrefillRun, SeenMark } from './downloads/prefill-runs.ts'
import type {
  DeletionOutcome,
  RemovalOutcome,
  RemovalProgress,
  RemovalRequest,
} from './changes/removal-contract.ts'
import type {
  IngestStatus,
  MismatchChoice,
  QuarantineList,
  SourcePositions,
  SpeedSnapshot,
} from './wire.ts'

export type { EmptyingRequest } from '../inputs.ts'
export { markQuery } from './downloads/prefill-runs.ts'

/** What the log engine offers the main thread. Everything here crosses a thread as plain data. */

export const emptySpeeds = (now: Date): SpeedSnapshot => ({
  timestampUtc: now.toISOString(),
  totalBytesPerSecond: 0,
  gameSpeeds: [],
  clientSpeeds: [],
  windowSeconds: 2,
  entriesInWindow: 0,
  hasActiveDownloads: false,
})

export const nothingRetained = (): LogRetentionOutcome => ({
  filesRotated: 0,
  filesCompressed: 0,
  filesDeleted: 0,
  bytesBefore: 0,
  bytesAfter: 0,
  isCancelled: false,
  refused: [],
})

/** Weeks of the log that curves cover, with the one that has begun. */
export const reuseWeeks = 13

/** Share of hits by size of the cache, from a sample of the log; see `reuse/sampler.ts`. */
export interface ReuseCurve {
  datasource: string
  /** Unix seconds of the first request that counts. */
  since: number
  /** Objects in the sample, and their share of all. */
  objects: number
  share: number
  /** Requests of clients in the log, with the cache status that it has. */
  sums: { bytes: number; requests: number; hitBytes: number; hits: number }
  /** Shares at the sizes of `binEnds`, of bytes and of requests. */
  byBytes: number[]
  byRequests: number[]
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
  historyReady(connection: HistoryTarget): void
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
  process(datasource: string | null, options: Watch<ProcessProgress>): Promise<ProcessOutcome>
  /** Requests counted so far, even if their lines are no longer in a file. */
  countedRequests(): Promise<{ datasource: string; byService: Record<string, number> }[]>
  /**
   * Removes lines from the log files of one datasource. A line is counted before it is removed, so
   * totals do not change. Files are changed one after the other; a cancelled run keeps finished
   * ones. Rejects when the engine is not reading at the moment.
   */
  removeLines(request: RemovalRequest, options: Watch<RemovalProgress>): Promise<RemovalOutcome>
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
  /** Slice sizes by datasource; 0: objects are stored whole. A worker that starts later gets them. */
  setSlices(sliceBytes: Readonly<Record<string, number>>): void
  /** Of the datasources with requests. Rejects when the engine does not run. */
  reuseCurves(): Promise<ReuseCurve[]>
  /** Called when the log shows from which address the cache sees a run that has begun. */
  onPrefillAddress(listener: (seen: SeenMark) => void): void
  /** Carries out a call of a node, which was checked, in the history. Rejects without an engine. */
  historyForNode(part: HistoryPart, call: HistoryCall): Promise<HistoryAnswer>
  /** Terminates the worker, even in an endless loop, and restarts it; no data is lost. */
  forceKill(): Promise<void>
}
