import type { Operations, OperationStatus, OperationType } from './contract.ts'

/** A scan as status endpoints tell of it, whatever it scans. */
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

/** The scan of a type that is going on, or `completed` when there is none. */
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
