import { Type, type Static } from '@sinclair/typebox'
import {
  Flag,
  Int,
  Model,
  Nullable,
  stringUnion,
  Text,
  TextOf,
  Utc,
} from '../../../core/lib/schema.ts'
import type { LogRetentionReason } from './log-retention-reasons.ts'

const amount = (maximum: number, description: string) =>
  Nullable(Type.Integer({ minimum: 1, maximum, description }))

/** Automatic handling of log files; null: disabled. Largest values: 1 TiB, ten years, 1 PiB. */
export const LogRetentionSettings = Model('LogRetentionSettings', {
  isEnabled: Flag,
  /** Rotates the current file above this size or age. */
  rotateAboveMib: amount(1_048_576, 'MiB'),
  rotateAfterDays: amount(3660, 'Days'),
  /** Compresses rotated files once they are counted. */
  compresses: Flag,
  /** Deletes counted rotated files above this age. */
  keepDays: amount(3660, 'Days'),
  /** Deletes the oldest of them while a datasource has more than this. */
  keepGib: amount(1_048_576, 'GiB'),
})
export type LogRetentionSettings = Static<typeof LogRetentionSettings>
const LogRetentionPolicy = Type.Omit(LogRetentionSettings, ['isEnabled'])
export type LogRetentionPolicy = Static<typeof LogRetentionPolicy>

export const LogRetentionInput = Type.Object({
  policy: LogRetentionPolicy,
  /** The proxy can be signalled to reopen its logs. */
  canRotate: Flag,
})
export type LogRetentionInput = Static<typeof LogRetentionInput>

/** One log file: how much was counted, and what the policy would do with it. */
const LogRetentionFile = Type.Object({
  name: Text,
  /** Size on disk. */
  bytes: Int,
  modifiedAt: Utc,
  isCurrent: Flag,
  compression: stringUnion(['none', 'gzip', 'zstd']),
  /** Decompressed bytes from the beginning up to the last counted line. */
  countedBytes: Int,
  /** Ranges before that which were skipped and never counted. */
  uncounted: Type.Array(Type.Object({ fromByte: Int, toByte: Nullable(Int) })),
  /** All of its lines were counted and have reached the history. */
  isSafeToDelete: Flag,
  action: stringUnion(['none', 'rotate', 'compress', 'delete']),
  /** Why it is not safe to delete, or why it stays as it is; null without a reason. */
  reason: Nullable(Text),
  /** The same for translated pages. */
  reasonKey: Nullable(TextOf<LogRetentionReason>()),
})
export type LogRetentionFile = Static<typeof LogRetentionFile>
export type LogRetentionAction = LogRetentionFile['action']

export const LogRetentionSource = Type.Object({
  datasource: Text,
  bytes: Int,
  bytesSafeToDelete: Int,
  bytesToDelete: Int,
  files: Type.Array(LogRetentionFile),
})
export type LogRetentionSource = Static<typeof LogRetentionSource>

export interface LogRetentionOutcome {
  filesRotated: number
  filesCompressed: number
  filesDeleted: number
  bytesBefore: number
  bytesAfter: number
  isCancelled: boolean
  refused: { datasource: string; file: string; reason: string }[]
}
