import type { KeyScheme } from '../cache/contract.ts'
import type { LogObservation } from '../logs/changes/line-filter.ts'
import type { CountRequest, LineCountsOfSource } from './count-contract.ts'
import type { HostsOutcome, RepeatsOutcome, TailRequest } from './tail-contract.ts'

/** What the log scan offers the main thread. Everything here crosses a thread as plain data. */

/** Misses of one cache file within this time belong together, in seconds. */
export const windowSeconds = 60

/** What to search for in the logs of one datasource. */
export interface LogScanRequest {
  logPath: string
  cachePath: string
  scheme: KeyScheme
  /** Slice size in bytes, as configured in the proxy of these logs. 0: objects are stored whole. */
  sliceBytes: number
  /** Time zone of log times without one. */
  timeZone: string
  /** Number of misses of a cache file within a minute from which it is reported. */
  threshold: number
  /** Only lines from `fromS` to `toS`, inclusive, in Unix seconds. */
  fromS: number
  toS: number
}

/** The range of a request. */
export type ObservedRange = { kind: 'no_range' } | { kind: 'inclusive'; start: number; end: number }

/** The slice, or whole object, that should have been a hit. */
export type CacheSlice =
  { kind: 'no_range' } | { kind: 'noslice' } | { kind: 'ranged'; start: number; end: number }

/** One miss: the exact log line, and its URL for display. */
export interface Miss {
  line: LogObservation
  rawUrl: string
}

/** A cache file that exists but was missed repeatedly. */
export interface RepeatedMiss {
  tag: string
  service: string
  normalizedUri: string
  observedRange: ObservedRange
  cacheSlice: CacheSlice
  /** Paths of its cache files that existed after the logs were read. */
  paths: string[]
  /** The misses of the first minute that held enough of them, oldest first. */
  misses: Miss[]
}

export interface LogScanProgress {
  /** 0 to 100; the last tenth is spent with looking for the files. */
  percentComplete: number
  stage: 'reading' | 'analysing'
  filesRead: number
  filesTotal: number
  linesRead: number
  /** Pieces with too many misses so far, whether or not they are in the cache. */
  suspects: number
}

export interface LogScanOutcome {
  state: 'complete' | 'cancelled' | 'failed'
  /** Why nothing can be concluded, for people; null when all was read. */
  problem: string | null
  candidates: RepeatedMiss[]
  filesRead: number
  linesRead: number
  /** Requests for several ranges, an open end or a suffix: they name no piece. */
  unsupportedRanges: number
  /** Lines that came more than a minute after later ones. */
  lateLines: number
  /** Pieces that were forgotten too early because more were missed in a minute than are kept. */
  groupsDropped: number
}

export interface LogScan {
  /**
   * Reads every log of a datasource, rotated and compressed ones too, and nothing else; positions
   * and live reading are not touched. Never rejects for trouble on disk.
   */
  repeatedMisses(
    request: LogScanRequest,
    run: { signal: AbortSignal; progress(report: LogScanProgress): void },
  ): Promise<LogScanOutcome>
  /** Pieces that one client (null: any) asked for again and again; reads the ends of the logs only. */
  repeats(request: TailRequest & { client: string | null }): Promise<RepeatsOutcome>
  /** Host names under which objects of a tag were asked for lately. */
  hosts(request: TailRequest & { tag: string; path: string }): Promise<HostsOutcome>
  /**
   * Lines by service that lie in the log files now, rotated and compressed ones too; one result for
   * each source, null when it was cancelled. One call at a time. Reads what is new only.
   */
  countLines(request: CountRequest, signal: AbortSignal): Promise<LineCountsOfSource[] | null>
  stop(): void
}
