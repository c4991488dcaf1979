/** Automatic handling of log files; null: disabled. */
export interface LogRetentionPolicy {
  /** Rotates the current file above this size, in MiB. */
  rotateAboveMib: number | null
  /** Rotates the current file above this age, in days. */
  rotateAfterDays: number | null
  /** Compresses rotated files once they are counted. */
  compresses: boolean
  /** Deletes counted rotated files above this age, in days. */
  keepDays: number | null
  /** Deletes the oldest of them while a datasource has more than this, in GiB. */
  keepGib: number | null
}

export interface LogRetentionInput {
  policy: LogRetentionPolicy
  /** The proxy can be signalled to reopen its logs. */
  canRotate: boolean
}

/** Why a file is not safe to delete. */
export const logRetentionReasons = {
  copyOrTooShort: 'a copy of another file, or too short to identify',
  notToItsEnd: 'not counted to its end yet, or still being written',
  notShipped: 'some of its rows have not reached the history',
  skippedRanges: 'has ranges that were skipped and never counted',
  unfinishedLine: 'ends with an unfinished line',
  unknownForm: 'begins with a line in an unknown format',
  unreadable: 'cannot be read to its end',
} as const
export type LogRetentionReason = keyof typeof logRetentionReasons

export type LogRetentionAction = 'none' | 'rotate' | 'compress' | 'delete'

/** One log file: how much was counted, and what the policy would do with it. */
export interface LogRetentionFile {
  name: string
  /** Size on disk. */
  bytes: number
  modifiedAt: string
  isCurrent: boolean
  compression: 'none' | 'gzip' | 'zstd'
  /** Decompressed bytes from the beginning up to the last counted line. */
  countedBytes: number
  /** Ranges before that which were skipped and never counted. */
  uncounted: { fromByte: number; toByte: number | null }[]
  /** All of its lines were counted and have reached the history. */
  isSafeToDelete: boolean
  action: LogRetentionAction
  /** Why it is not safe to delete, or why it stays as it is; null without a reason. */
  reason: string | null
  /** The same for translated pages. */
  reasonKey: LogRetentionReason | null
}

export interface LogRetentionSource {
  datasource: string
  bytes: number
  bytesSafeToDelete: number
  bytesToDelete: number
  files: LogRetentionFile[]
}

export interface LogRetentionOutcome {
  filesRotated: number
  filesCompressed: number
  filesDeleted: number
  bytesBefore: number
  bytesAfter: number
  isCancelled: boolean
  refused: { datasource: string; file: string; reason: string }[]
}
