import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, Percent, Text } from '../lib/schema.ts'
import { OperationStatus, type Operations, type OperationType } from './contract.ts'

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
type ScanStatus = Static<typeof ScanStatus>

const idle: ScanStatus = {
  isProcessing: false,
  silentMode: false,
  showNotification: true,
  status: 'completed',
  percentComplete: 0,
  message: '',
  stageKey: null,
  context: null,
  operationId: null,
}

/** The running scan of a type, or `completed` without one. */
export function scanStatusOf(operations: Operations, type: OperationType): ScanStatus {
  const operation = operations.active(type)
  if (operation === null) return idle
  const { id, isSilent, status, percentComplete, message, stageKey, context } = operation
  return {
    isProcessing: true,
    silentMode: isSilent,
    showNotification: !isSilent,
    status,
    percentComplete,
    message: message ?? '',
    stageKey,
    context,
    operationId: id,
  }
}
