import type { LogFile } from '../logs/files/discovery.ts'

/** What counting the lines of log files answers. Everything here crosses a thread as plain data. */

/** Why lines of a file (or of a whole folder) are missing in the counts. */
export const leftOutReasons = [
  'missing',
  'denied',
  'damaged',
  'not_a_file',
  'no_answer',
  'disk_error',
  'too_many',
] as const
export type LeftOutReason = (typeof leftOutReasons)[number]

export interface LeftOut {
  /** Null: the folder itself. */
  file: string | null
  reason: LeftOutReason
}

/** Lines that lie in the log files of one datasource. */
export interface LineCountsOfSource {
  datasource: string
  /** Lines that can be read, by service; the 1000 services with the most lines. */
  services: Record<string, number>
  /** Lines of further services. */
  otherLines: number
  /** Lines that cannot be read, or do not say which service they are about. */
  unreadableLines: number
  /** What could not be counted or not to its end, at most 20. */
  leftOut: LeftOut[]
}

export interface CountRequest {
  sources: { name: string; logPath: string }[]
  /** What log times without a zone are in. */
  timeZone: string
}

/** What is remembered of a file: how far it was counted, and what tells that it is the same. */
export interface FileCount {
  /** Size and change time that the count is about. */
  size: number
  modifiedMs: number
  /** Bytes that were counted, decompressed: the end of the last complete line. */
  offset: number
  isInsideLongLine: boolean
  /** The beginning of the file, and its last bytes before `offset`. */
  head: Uint8Array
  tail: Uint8Array
  services: Map<string, number>
  otherLines: number
  unreadableLines: number
  problem: LeftOutReason | null
  /** False: it was interrupted; a plain file goes on at `offset`. */
  isComplete: boolean
}

export interface CountFileRequest {
  file: LogFile
  logPath: string
  timeZone: string
  /** What was counted of it before. */
  known: FileCount | null
}

/** What lies in a log folder now, without the files that are never read. */
export interface LogListing {
  files: LogFile[]
  leftOut: LeftOut[]
}
