import { queued } from '../../core/operations/contract.ts'
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

export const ClearingStarted = Model('ClearingStarted', {
  ...queued,
  status: Text,
  message: Text,
})
export type ClearingStarted = Static<typeof ClearingStarted>

export const CacheOperations = Type.Object({
  isProcessing: Flag,
  operations: Type.Array(
    Type.Object({
      operationId: Text,
      status: OperationStatus,
      statusMessage: Nullable(Text),
      startTime: Nullable(Text),
      endTime: Nullable(Text),
      directoriesProcessed: Int,
      totalDirectories: Int,
      bytesDeleted: Int,
      filesDeleted: Int,
      error: Nullable(Text),
      percentComplete: Percent,
    }),
  ),
})
export type CacheOperations = Static<typeof CacheOperations>
