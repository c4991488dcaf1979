import { Type, type Static } from '@sinclair/typebox'
import { Flag, Nullable, Text } from '../../core/http/schema.ts'

/** Members of QueuedOperationResponse, and the request's scope. */
export const EvictedRemovalStarted = Type.Object({
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
