import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, Percent, Text } from '../lib/schema.ts'
import {
  OperationStatus,
  type Operations,
  type OperationType,
  type OperationView,
} from './contract.ts'

/** A scan in the form of status endpoints, whatever it scans. */
export const ScanStatus = Model('ScanStatus', {
  isProcessing: Flag,
  silentMode: Flag,
  showNotification: Flag,
  status: OperationStatus,
  percentComplete: Percent,
  message: Text,
  stageKey: Nullable(Text),
  context: Nullable(Type.Record(Text, Type.Unknown())),
  operationId: Nullable(Text),
})

/** The running scan of a type, or `completed` without one. */
export function scanStatusOf(
  operations: Operations,
  type: OperationType,
): Static<typeof ScanStatus> {
  const operation = operations.active(type)
  const isSilent = operation?.isSilent ?? false
  return {
    isProcessing: operation !== null,
    silentMode: isSilent,
    showNotification: !isSilent,
    status: operation?.status ?? 'completed',
    percentComplete: operation?.percentComplete ?? 0,
    message: operation?.message ?? '',
    stageKey: operation?.stageKey ?? null,
    context: operation?.context ?? null,
    operationId: operation?.id ?? null,
  }
}

/** Members of other statuses: of the job that runs, null without one. */
export const jobStatus = {
  isProcessing: Flag,
  status: Nullable(OperationStatus),
  message: Nullable(Text),
  percentComplete: Nullable(Percent),
  operationId: Nullable(Text),
  stageKey: Nullable(Text),
  context: Nullable(Type.Record(Text, Type.Unknown())),
}

export const jobStatusOf = (active: OperationView | null) => ({
  isProcessing: active !== null,
  status: active?.status ?? null,
  message: active?.message ?? null,
  percentComplete: active?.percentComplete ?? null,
  operationId: active?.id ?? null,
  stageKey: active?.stageKey ?? null,
  context: active?.context ?? {},
})
