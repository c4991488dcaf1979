import { Type } from '@sinclair/typebox'
import { Flag, Nullable, Text, Utc } from '../core/lib/schema.ts'
import { accounts } from '../core/live/events.ts'
import { jobEvents } from '../core/operations/events.ts'

/** Events of this group. */
export const cacheEvents = {
  ...jobEvents(
    'CacheClearing',
    'CacheSizeScan',
    'ServiceRemoval',
    'GameRemoval',
    'CorruptionRemoval',
    'CorruptionDetection',
    'GameDetection',
    'EvictionScan',
    'EvictionRemoval',
    'LogRotation',
    'CacheSnapshot',
  ),
  CacheScanComplete: accounts(
    Type.Object({
      operationId: Text,
      success: Flag,
      cancelled: Flag,
      error: Nullable(Text),
    }),
  ),
  LaterRemovalsChanged: accounts(
    Type.Object({
      waiting: Type.Integer({ description: 'Parts of removals that wait for a node' }),
    }),
  ),
  RetentionUpdated: accounts(
    Type.Object({
      pending: Type.Integer({ description: 'Games that rules of retention are about to remove' }),
    }),
  ),
  DirectoryPermissionsChanged: accounts(
    Type.Object({
      timestamp: Utc,
      datasources: Type.Array(Type.Object({ name: Text, cacheWritable: Flag, logsWritable: Flag })),
    }),
  ),
}
