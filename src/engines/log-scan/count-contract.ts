import type { LogFile } from '../logs/files/discovery.ts'

/** Result of counting log lines. Everything here crosses a thread as plain data. */

/** Why lines of a file (or of a whole folder) are missing in the counts. */
export const uncountedReasons = [
  'missing',
  'denied',
  'damaged',
  'not_a_file',
  'no_answer',
  'disk_error',
  'too_many',
] as const
export type UncountedReason = (typeof uncountedReasons)[number]

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

/** Saved count of a file: how far it was counted, and how to recognise the file. */
export interface FileCount {
  /** Size and mtime that the count belongs to. */
  size: number
  modifiedMs: number
  /** Counted bytes, decompressed: the end of the last complete line. */
  offset: number
  isInsideLongLine: boolean
  /** The beginning of the file, and its last bytes before `offset`. */
  head: Uint8Array
  tail: Uint8Array
  services: [service: string, lines: number][]
  otherLines: number
  unreadableLines: number
  problem: UncountedReason | null
  /** False: interrupted; for a plain file, counting continues at `offset`. */
  isComplete: boolean
}

export interface CountFileRequest {
  file: LogFile
  logPath: string
  timeZone: string
  /** Its previous count. */
  known: FileCount | null
}

export interface CountProgress {
  readBytes: number
}

/** The current files of a log folder, without those that are never read. */
export interface LogListing {
  files: LogFile[]
  uncounted: UncountedFile[]
}
