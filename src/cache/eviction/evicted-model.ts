import { Type, type Static } from '@sinclair/typebox'
import { awayMember } from '../../engines/remote/wire.ts'
import { Flag, Int, Model, Nullable, Text } from '../../core/http/schema.ts'

/** Includes downloads of games and services that no list shows. */
export const EvictedTotal = Type.Object({ downloads: Int, ...awayMember })

/** Members of QueuedOperationResponse, and what was asked for. */
export const EvictedRemovalStarted = Model('EvictedRemovalStarted', {
  operationId: Text,
  queued: Flag,
  alreadyRunning: Flag,
  status: Text,
  scope: Text,
  key: Nullable(Text),
  service: Nullable(Text),
  gameName: Nullable(Text),
})
export type EvictedRemovalStarted = Static<typeof EvictedRemovalStarted>
