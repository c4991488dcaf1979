export type MemberState = 'open' | 'complete' | 'gone'

/** A log file and how far it was read; row of `log_member`. Offsets are decompressed bytes. */
export interface Member {
  id: number
  datasource: string
  stem: string
  name: string
  device: string
  inode: string
  head: Uint8Array
  offset: number
  lines: number
  isInsideLongLine: boolean
  /** Size on disk and mtime at the last check. */
  sizeBytes: number
  modifiedMs: number
  state: MemberState
  error: string | null
  seenAt: number
}

/** A range that was skipped; row of `log_skipped`. */
export interface Skipped {
  id: number
  memberId: number
  fromByte: number
  /** `Number.MAX_SAFE_INTEGER`: to the end of a compressed file of unknown length. */
  toByte: number
  lines: number
  isWanted: boolean
  /** Like a member's: the range begins inside an overlong line. */
  isInsideLongLine: boolean
}

/** The end of a range in a file of unknown length. */
export const toItsEnd = Number.MAX_SAFE_INTEGER
