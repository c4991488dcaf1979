import { Type } from '@sinclair/typebox'
import {
  ErrorBody,
  Flag,
  Nullable,
  Num,
  OperationStatus,
  Text,
  Utc,
} from '../../core/http/schema.ts'

const Context = Nullable(Type.Record(Text, Type.Unknown()))

/** `GET /api/operations/{id}`; the members after `message` are null for an unknown id. */
export const OperationProgress = Type.Object({
  id: Text,
  active: Flag,
  percentComplete: Num,
  message: Nullable(Text),
  type: Nullable(Text),
  name: Nullable(Text),
  status: Nullable(OperationStatus),
  stageKey: Nullable(Text),
  context: Context,
  error: Nullable(Text),
})

export const WaitingOperation = Type.Object({
  operationId: Text,
  operationType: Text,
  name: Text,
  blockedByName: Nullable(Text),
})

export const CancelledOperation = Type.Object({
  message: Text,
  operationId: Text,
  status: OperationStatus,
  alreadyFinished: Flag,
})

export const KilledOperation = Type.Object({ message: Text, operationId: Text })

export const UnknownOperation = Type.Composite([ErrorBody, Type.Object({ operationId: Text })])

/** In English, and as key and values for translations; null where a job has no key. */
const names = {
  name: Text,
  nameKey: Nullable(Text),
  nameContext: Nullable(Type.Record(Text, Type.Union([Text, Num]))),
}

const OperationItem = Type.Object({
  id: Text,
  type: Text,
  scope: Text,
  ...names,
  status: OperationStatus,
  percentComplete: Num,
  stageKey: Nullable(Text),
  context: Context,
  message: Nullable(Text),
  error: Nullable(Text),
  isSilent: Flag,
  createdAt: Utc,
  startedAt: Nullable(Utc),
  finishedAt: Nullable(Utc),
})

/** Content of the operations drawer; recent ones newest first. */
export const OperationsOverview = Type.Object({
  running: Type.Array(OperationItem),
  waiting: Type.Array(
    Type.Composite([OperationItem, Type.Object({ blockedBy: Nullable(Type.Object(names)) })]),
  ),
  recent: Type.Array(OperationItem),
})
