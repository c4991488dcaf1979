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
import { stringUnion } from '../../core/http/string-union.ts'

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

const hints = stringUnion(['none', 'grantSignalPrivilege', 'enablePidHost', 'mountDockerSocket'])
const availability = {
  isEnabled: Flag,
  canReopen: Flag,
  way: Nullable(stringUnion(['container', 'process'])),
  target: Nullable(Text),
  hint: hints,
  command: Nullable(Text),
}
export const ReopenAvailability = Type.Object(availability)
export const ReopenOutcome = Model('ReopenOutcome', {
  ...availability,
  isDone: Flag,
  message: Text,
  /** Why the signal failed; null: it did not, or that is not known. */
  detail: Nullable(Text),
})
