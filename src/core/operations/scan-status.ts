import type { Operations, OperationStatus, OperationType } from './contract.ts'

/** A scan in the form of status endpoints, whatever it scans. */
export interface ScanStatus {
  isProcessing: boolean
  silentMode: boolean
  showNotification: boolean
  status: OperationStatus
  /** 0 to 100. */
  percentComplete: number
  message: string
  stageKey: string | null
  context: Record<string, unknown> | null
  operationId: string | null
}

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
