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
  /** Size on disk and change time when last looked at. */
  sizeBytes: number
  modifiedMs: number
  state: MemberState
  error: string | null
  seenAt: number
}

/** A range that was passed over; row of `log_skipped`. */
export interface Skipped {
  id: number
  memberId: number
  fromByte: number
  /** `Number.MAX_SAFE_INTEGER`: to the end of a compressed file whose length is not known. */
  toByte: number
  lines: number
  isWanted: boolean
  /** Like a member's: the range begins inside a line that is passed over. */
  isInsideLongLine: boolean
}

/** What a range runs to when the length of the file is unknown. */
export const toItsEnd = Number.MAX_SAFE_INTEGER
