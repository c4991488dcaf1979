import type { LogFile, UncountedReason } from '../inputs.ts'

export type { CountFileRequest, FileCount, UncountedReason } from '../inputs.ts'

/** Result of counting log lines. Everything here crosses a thread as plain data. */

export interface UncountedFile {
  /** Null: the folder itself. */
  file: string | null
  reason: UncountedReason
}

/** Lines in the log files of one datasource. */
export interface LineCountsOfSource {
  datasource: string
  /** Readable lines by service, for the 1000 services with the most lines. */
  services: Record<string, number>
  /** Lines of all other services. */
  otherLines: number
  /** Lines that cannot be read, or name no service. */
  unreadableLines: number
  /** Files that could not be counted, or only in part; at most 20. */
  leftOut: UncountedFile[]
}

export interface CountRequest {
  sources: { name: string; logPath: string }[]
  /** Time zone of log times without one. */
  timeZone: string
}

export interface CountProgress {
  readBytes: number
}

/** The current files of a log folder, without those that are never read. */
export interface LogListing {
  files: LogFile[]
  uncounted: UncountedFile[]
}
