import { Type, type Static } from '@sinclair/typebox'
import {
  Flag,
  Int,
  Model,
  Nullable,
  OperationStatus,
  Percent,
  Text,
} from '../../core/http/schema.ts'

/** Members of the contract and of QueuedOperationResponse together. */
export const RemovalStarted = Model('LogRemovalStarted', {
  message: Text,
  service: Text,
  operationId: Text,
  status: OperationStatus,
  queued: Flag,
  alreadyRunning: Flag,
})
export type RemovalStarted = Static<typeof RemovalStarted>

export const RemovalStatus = Model('LogRemovalStatus', {
  isProcessing: Flag,
  service: Nullable(Text),
  datasource: Nullable(Text),
  operationId: Nullable(Text),
  filesProcessed: Int,
  linesProcessed: Int,
  linesRemoved: Int,
  percentComplete: Nullable(Percent),
  status: Nullable(OperationStatus),
  stageKey: Nullable(Text),
  context: Nullable(Type.Record(Text, Type.Unknown())),
})
export type RemovalStatus = Static<typeof RemovalStatus>
