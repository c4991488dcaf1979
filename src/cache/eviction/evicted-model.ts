import type { Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, Text } from '../../core/http/schema.ts'

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
