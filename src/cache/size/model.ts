import { IndexState } from '../../engines/cache/wire.ts'
import { awayMember } from '../../engines/remote/wire.ts'
import { queued } from '../../core/operations/contract.ts'
import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Model, Num, Text, Utc } from '../../core/http/schema.ts'

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
  ...awayMember,
})
export type CacheSize = Static<typeof CacheSize>

export const NoCacheSize = Type.Object({ available: Type.Literal(false) })

export const Queued = Type.Object(queued)

/** The first scan is running. */
export const Scanning = Type.Object({ scanning: Type.Literal(true), ...queued })

export const AcceptBody = Type.Object({ datasource: Type.String({ minLength: 1, maxLength: 100 }) })

export const IndexStates = Type.Object({ items: Type.Array(IndexState) })
