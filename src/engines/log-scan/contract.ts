import type { Watch } from '../engine.ts'
import type { LogScanRequest } from '../inputs.ts'
import type { ExactPrint } from '../cache/format/fingerprint.ts'
import type { LogObservation } from '../logs/changes/line-filter.ts'
import type { CountRequest, LineCountsOfSource } from './count-contract.ts'
import type {
  DownloadLog,
  DownloadLogRequest,
  HostsOutcome,
  HostsRequest,
  LogPeriod,
  RepeatsOutcome,
  RepeatsRequest,
  SamplesOutcome,
  TailRequest,
  TrafficLog,
} from './tail-contract.ts'

export type { LogScanRequest } from '../inputs.ts'

/** What the log scan offers the main thread. Everything here crosses a thread as plain data. */

/** Misses of one cache file within this time belong together, in seconds. */
export const windowSeconds = 60

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

/** A cache file as it was judged, so that no other one is removed in its place. */
export interface JudgedFile {
  path: string
  print: ExactPrint
}

/** A cache file that exists but was missed repeatedly. */
export interface RepeatedMiss {
  tag: string
  service: string
  normalizedUri: string
  observedRange: ObservedRange
  cacheSlice: CacheSlice
  /** Its cache files after the logs were read, all older than the misses. */
  files: JudgedFile[]
  /** The misses of the last minute that contained enough of them, oldest first. */
  misses: Miss[]
}

export interface LogScanProgress {
  /** 0 to 100; the last tenth is spent looking up the cache files. */
  percentComplete: number
  stage: 'reading' | 'analysing'
  filesRead: number
  filesTotal: number
  linesRead: number
  /** Cache files with too many misses so far, whether or not they exist. */
  suspects: number
}

export interface LogScanOutcome {
  state: 'complete' | 'cancelled' | 'failed'
  /** Why there is no result, as text; null when everything was read. */
  problem: string | null
  candidates: RepeatedMiss[]
  filesRead: number
  linesRead: number
  /** Requests for several ranges, an open end or a suffix: they identify no slice. */
  unsupportedRanges: number
  /** Lines that came more than a minute after later ones. */
  lateLines: number
  /** Groups dropped too early because more were missed in a minute than are kept. */
  groupsDropped: number
}

export interface LogScan {
  /**
   * Reads every log of a datasource, including rotated and compressed ones, without affecting read
   * positions or live ingestion. Never rejects for disk errors.
   */
  repeatedMisses(request: LogScanRequest, run: Watch<LogScanProgress>): Promise<LogScanOutcome>
  /** Slices that one client (null: any) requested repeatedly; reads only the ends of the logs. */
  repeats(request: RepeatsRequest): Promise<RepeatsOutcome>
  /** Host names under which objects of a tag were requested recently. */
  hosts(request: HostsRequest): Promise<HostsOutcome>
  /** One download's requests, and why it missed what it missed. */
  download(request: DownloadLogRequest): Promise<DownloadLog>
  /** What every client received of every title in the period. */
  traffic(request: LogPeriod): Promise<TrafficLog>
  /** The last content that clients received, by service and host name. */
  samples(request: TailRequest): Promise<SamplesOutcome>
  /**
   * Lines by service in the current log files, including rotated and compressed ones; one result
   * per source, null when cancelled. One call at a time. Reads only new lines.
   */
  countLines(request: CountRequest, signal: AbortSignal): Promise<LineCountsOfSource[] | null>
  /** Ends a running `repeatedMisses`, even in an endless loop. */
  forceKill(): void
  stop(): void
}
