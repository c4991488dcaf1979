import { Type, type Static } from '@sinclair/typebox'
import { Int, LargeInt, Model, Nullable, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/lib/schema.ts'

/** One piece of an upload: below the limit of any request body. */
export const pieceBytesMax = 1024 * 1024
/** Largest snapshot that can be uploaded; larger ones are copied into the folder. */
export const uploadBytesMax = 64 * 1024 ** 3

const SnapshotKind = stringUnion([
  'manual',
  'scheduled',
  'before-restore',
  'before-update',
  'uploaded',
])
export type SnapshotKind = Static<typeof SnapshotKind>

const SnapshotFile = Type.Object({
  name: Text,
  kind: SnapshotKind,
  createdAt: Utc,
  bytes: LargeInt,
})
export type SnapshotFile = Static<typeof SnapshotFile>

export const Backups = Model('Backups', {
  /** Folder of the snapshots on the machine of the service. */
  folder: Text,
  freeBytes: LargeInt,
  /** Scheduled snapshots that are kept. */
  keep: Int,
  snapshots: Type.Array(SnapshotFile),
  /** Why no snapshot was made before the history was updated; null: there is one, or no need. */
  updateProblem: Nullable(Text),
  lastRestore: Nullable(Type.Object({ at: Utc, snapshotAt: Utc, problem: Nullable(Text) })),
})

export const KeepBody = Type.Object({ keep: Type.Integer({ minimum: 1, maximum: 365 }) })

export const Uploaded = Type.Object({
  received: LargeInt,
  /** The name of the snapshot, once it is complete. */
  name: Nullable(Text),
})
