import { queued } from '../../core/operations/contract.ts'
import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Nullable, Num, Text, Utc } from '../../core/http/schema.ts'

const DeletionTimes = Type.Object({
  preserveSeconds: Num,
  fullSeconds: Num,
  rsyncSeconds: Num,
  preserveFormatted: Text,
  fullFormatted: Text,
  rsyncFormatted: Text,
})

/** What lies in the cache. */
export const CacheSize = Model('CacheSize', {
  available: Type.Literal(true),
  totalBytes: Int,
  totalFiles: Int,
  totalDirectories: Int,
  hexDirectories: Int,
  scanDurationMs: Int,
  estimatedDeletionTimes: DeletionTimes,
  formattedSize: Text,
  timestamp: Utc,
  /** False when scanned for this answer. */
  isCached: Flag,
  /** Disk usage has changed since, or a disk is away. */
  isStale: Flag,
})
export type CacheSize = Static<typeof CacheSize>

export const NoCacheSize = Type.Object({ available: Type.Literal(false) })

export const Queued = Type.Object(queued)

/** The first scan is running. */
export const Scanning = Type.Object({ scanning: Type.Literal(true), ...queued })

export const AcceptBody = Type.Object({ datasource: Type.String({ minLength: 1, maxLength: 100 }) })

/** The index of one cache. */
const IndexState = Model('IndexState', {
  datasource: Text,
  /** Another datasource with the same folder: sums count it once. */
  sharedWith: Nullable(Text),
  state: Text,
  /** Why the last walk failed or changed nothing. */
  problem: Nullable(Text),
  /** For translations. */
  problemKey: Nullable(Text),
  problemContext: Nullable(Type.Record(Text, Type.Union([Text, Num]))),
  files: Int,
  bytes: Int,
  directories: Int,
  hexDirectories: Int,
  sliceBytes: Int,
  walkedAt: Nullable(Utc),
  walkMs: Int,
})
export const IndexStates = Type.Object({ items: Type.Array(IndexState) })
