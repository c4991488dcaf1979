import { Type } from '@sinclair/typebox'
import { operation } from '../../core/operations/contract.ts'
import { operationEvents } from '../../core/operations/events.ts'
import {
  ErrorBody,
  Flag,
  Model,
  Nullable,
  Num,
  OperationStatus,
  Percent,
  Text,
} from '../../core/http/schema.ts'

const Context = Nullable(Type.Record(Text, Type.Unknown()))

/** `GET /api/operations/{id}`; the members after `message` are null for an unknown id. */
export const OperationProgress = Model('OperationProgress', {
  id: Text,
  active: Flag,
  percentComplete: Percent,
  message: Nullable(Text),
  type: Nullable(Text),
  name: Nullable(Text),
  status: Nullable(OperationStatus),
  stageKey: Nullable(Text),
  context: Context,
  error: Nullable(Text),
})

export const WaitingOperation = operationEvents.OperationWaiting.payload

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

const OperationItem = Model('Operation', {
  ...operation.properties,
  ...names,
  type: Text,
  status: OperationStatus,
  percentComplete: Percent,
})

/** What the operations drawer shows; recent ones newest first. */
export const OperationsOverview = Model('OperationsOverview', {
  running: Type.Array(OperationItem),
  waiting: Type.Array(
    Type.Composite([OperationItem, Type.Object({ blockedBy: Nullable(Type.Object(names)) })]),
  ),
  recent: Type.Array(OperationItem),
})
