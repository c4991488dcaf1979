import { Type } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'
import { ReopenAvailability } from './removal-model.ts'

const amount = (maximum: number, description: string) =>
  Nullable(Type.Integer({ minimum: 1, maximum, description }))

/** Largest values: 1 TiB, ten years, 1 PiB. */
export const LogRetentionSettings = Model('LogRetentionSettings', {
  isEnabled: Flag,
  rotateAboveMib: amount(1_048_576, 'MiB'),
  rotateAfterDays: amount(3660, 'Days'),
  compresses: Flag,
  keepDays: amount(3660, 'Days'),
  keepGib: amount(1_048_576, 'GiB'),
})

const File = Type.Object({
  name: Text,
  bytes: Int,
  modifiedAt: Utc,
  isCurrent: Flag,
  compression: stringUnion(['none', 'gzip', 'zstd']),
  countedBytes: Int,
  uncounted: Type.Array(Type.Object({ fromByte: Int, toByte: Nullable(Int) })),
  isSafeToDelete: Flag,
  action: stringUnion(['none', 'rotate', 'compress', 'delete']),
  reason: Nullable(Text),
  /** For translations. */
  reasonKey: Nullable(Text),
})

export const LogRetentionStatus = Type.Object({
  isEnabled: Flag,
  reopen: ReopenAvailability,
  datasources: Type.Array(
    Type.Object({
      datasource: Text,
      bytes: Int,
      bytesSafeToDelete: Int,
      bytesToDelete: Int,
      files: Type.Array(File),
    }),
  ),
})

export const LogRetentionStarted = Type.Object({ operationId: Text, alreadyRunning: Flag })
