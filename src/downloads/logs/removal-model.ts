import { Type, type Static } from '@sinclair/typebox'
import { Flag, Int, Nullable, Num, OperationStatus, Text } from '../../core/http/schema.ts'
import { words } from '../../core/http/words.ts'

/** Members of the contract's response and of QueuedOperationResponse. */
export const RemovalStarted = Type.Object({
  message: Text,
  service: Text,
  operationId: Text,
  status: OperationStatus,
  queued: Flag,
  alreadyRunning: Flag,
})
export type RemovalStarted = Static<typeof RemovalStarted>

export const RemovalStatus = Type.Object({
  isProcessing: Flag,
  service: Nullable(Text),
  datasource: Nullable(Text),
  operationId: Nullable(Text),
  filesProcessed: Int,
  linesProcessed: Int,
  linesRemoved: Int,
  percentComplete: Nullable(Num),
  status: Nullable(OperationStatus),
  stageKey: Nullable(Text),
  context: Nullable(Type.Record(Text, Type.Unknown())),
})
export type RemovalStatus = Static<typeof RemovalStatus>

const hints = words(['none', 'grantSignalPrivilege', 'enablePidHost', 'mountDockerSocket'])
const availability = {
  isEnabled: Flag,
  canReopen: Flag,
  way: Nullable(words(['container', 'process'])),
  target: Nullable(Text),
  hint: hints,
  command: Nullable(Text),
}
export const ReopenAvailability = Type.Object(availability)
export const ReopenOutcome = Type.Object({ ...availability, isDone: Flag, message: Text })
