/** The control plane's vocabulary; values as on the wire. */

export const operationTypes = [
  'cacheClearing',
  'corruptionRemoval',
  'corruptionDetection',
  'gameDetection',
  'logProcessing',
  'gameRemoval',
  'serviceRemoval',
  'depotMapping',
  'dataImport',
  'databaseReset',
  'logRemoval',
  'betaMapping',
  'gammaMapping',
  'deltaMapping',
  'epsilonMapping',
  'evictionScan',
  'evictionRemoval',
  'cacheSizeScan',
  'scheduledPrefill',
  'statusCheck',
  'logRotation',
  'gameImageFetch',
  'cacheSnapshot',
  'operationHistoryCleanup',
  'performanceOptimization',
  'dashboardCacheWarmer',
  'prefillLogin',
] as const
export type OperationType = (typeof operationTypes)[number]

export type OperationStatus =
  | 'pending'
  | 'running'
  | 'cancelling'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'waiting'
  | 'skipped'

export interface OperationContext {
  readonly operationId: string
  readonly signal: AbortSignal
  /** Reports at most four times a second are passed on; the last one always is. */
  report(progress: {
    percentComplete?: number
    stageKey?: string
    context?: Record<string, unknown>
    message?: string
  }): void
}

export type OperationResult =
  | { kind: 'completed'; stageKey?: string; context?: Record<string, unknown>; message?: string }
  | { kind: 'cancelled' }
  | { kind: 'skipped'; stageKey?: string; message?: string }
  | { kind: 'failed'; error: string }

export interface OperationRequest {
  type: OperationType
  /** `bulk`, `alpha:<appId>`, `beta:<id>`, `named:<service>:<game>`, `service:<name>`. */
  scope: string
  /** What people read in the operations drawer. */
  name: string
  /** Shown to nobody unless asked: scheduled and live runs. */
  isSilent?: boolean
  run(context: OperationContext): Promise<OperationResult>
  /** Stops work that does not listen to the signal; used by force-kill. */
  kill?(): Promise<void> | void
}

/** Members of QueuedOperationResponse. */
export interface Queued {
  operationId: string
  queued: boolean
  alreadyRunning: boolean
  status: 'started' | 'waiting' | 'alreadyRunning'
}

export interface OperationView {
  id: string
  type: OperationType
  scope: string
  name: string
  status: OperationStatus
  percentComplete: number
  stageKey: string | null
  context: Record<string, unknown> | null
  message: string | null
  error: string | null
  isSilent: boolean
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

export interface Operations {
  /** Starts the job, parks it behind what it conflicts with, or names the identical one. */
  submit(request: OperationRequest): Queued
  get(id: string): OperationView | null
  /** Everything that runs or waits, and what ended in the last ten seconds. */
  list(): OperationView[]
  /** Running operation of a type (and scope), or null. */
  active(type: OperationType, scope?: string): OperationView | null
  /** Marks what a previous process left running as failed. Called once, before the first submit. */
  recover(): number
  /** Cancels everything and waits, for shutdown. */
  stop(): Promise<void>
}
