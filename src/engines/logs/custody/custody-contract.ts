/** What the service does with log files on its own; null: not that. */
export interface CustodyPolicy {
  /** The current file is put aside when it is larger, MiB. */
  rotateAboveMib: number | null
  /** The current file is put aside when it is older, days. */
  rotateAfterDays: number | null
  /** Files that were put aside are compressed once they were counted. */
  compresses: boolean
  /** Counted files that were put aside are deleted when they are older, days. */
  keepDays: number | null
  /** The oldest of them are deleted while a datasource has more than this, GiB. */
  keepGib: number | null
}

export interface CustodyInput {
  policy: CustodyPolicy
  /** The proxy can be told to reopen its logs. */
  canRotate: boolean
}

/** Why a file is not safe to delete. */
export const custodyReasons = {
  copyOrTooShort: 'a copy of another file, or too short to be told from others',
  notToItsEnd: 'was not counted to its end yet, or may still be written to',
  notShipped: 'its figures have not all reached the history',
  skippedRanges: 'has ranges that were passed over and never counted',
  unfinishedLine: 'ends with an unfinished line',
  unknownForm: 'begins with no line of a form that is known',
  unreadable: 'cannot be read to its end',
} as const
export type CustodyReason = keyof typeof custodyReasons

export type CustodyAction = 'none' | 'rotate' | 'compress' | 'delete'

/** One log file: what of it was counted, and what would be done with it. */
export interface CustodyFile {
  name: string
  /** Size on disk. */
  bytes: number
  modifiedAt: string
  isCurrent: boolean
  compression: 'none' | 'gzip' | 'zstd'
  /** Decompressed bytes from the beginning up to which lines were counted. */
  countedBytes: number
  /** Ranges before that which were passed over and never counted. */
  uncounted: { fromByte: number; toByte: number | null }[]
  /** Everything in it was counted and has reached the history. */
  isSafeToDelete: boolean
  action: CustodyAction
  /** Why it is not safe to delete, or why nothing is done; null when there is nothing to say. */
  reason: string | null
  /** The same for pages in other languages. */
  reasonKey: CustodyReason | null
}

export interface CustodySource {
  datasource: string
  bytes: number
  bytesSafeToDelete: number
  bytesToDelete: number
  files: CustodyFile[]
}

export interface CustodyOutcome {
  filesRotated: number
  filesCompressed: number
  filesDeleted: number
  bytesBefore: number
  bytesAfter: number
  isCancelled: boolean
  refused: { datasource: string; file: string; reason: string }[]
}
