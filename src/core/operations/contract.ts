/** The control plane's vocabulary; values as on the wire. */

import type { PhraseValues } from '../lib/phrases.ts'

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
  report: (progress: OperationProgress) => void
}

export interface OperationProgress {
  /** 0 to 100; a value below the one already reported is ignored. */
  percentComplete?: number
  stageKey?: string
  /** Scalars that the text of the stage key is completed with. */
  context?: Record<string, unknown>
  message?: string
  /** Members added to the `<prefix>Progress` event. */
  fields?: Record<string, unknown>
}

/** How a job ended. `fields` are members added to the `<prefix>Complete` event. */
export type OperationResult =
  | {
      kind: 'completed'
      stageKey?: string
      context?: Record<string, unknown>
      message?: string
      fields?: Record<string, unknown>
    }
  | { kind: 'cancelled'; fields?: Record<string, unknown> }
  | { kind: 'skipped'; stageKey?: string; message?: string; fields?: Record<string, unknown> }
  | { kind: 'failed'; error: string; stageKey?: string; fields?: Record<string, unknown> }

/** The events of one kind of job: `<prefix>Started`, `<prefix>Progress`, `<prefix>Complete`. */
export interface OperationEvents {
  prefix: string
  /** Name of the last event where it is not `<prefix>Complete`. */
  complete?: string
  /** Members added to all three events, unless a report or the result says otherwise. */
  startedFields?: Record<string, unknown>
  /** Sent along when given: whether the dashboard shows a notification for this run. */
  showNotification?: boolean
}

export interface OperationRequest {
  type: OperationType
  /** `bulk`, `alpha:<appId>`, `beta:<id>`, `named:<service>:<game>`, `service:<name>`. */
  scope: string
  /**
   * What sets a job apart from others of its type and scope: one that differs waits for its turn,
   * where the same one is only named. Nothing by default.
   */
  variant?: string
  /** What people read in the operations drawer, in English; made by `named` of names.ts. */
  name: string
  /** The same for pages in other languages. */
  nameKey?: string | null
  nameContext?: PhraseValues | null
  /** Shown to nobody unless asked: scheduled and live runs. */
  isSilent?: boolean
  /** Named: the job also sends events of its own. Jobs that run silently leave it out. */
  events?: OperationEvents
  /**
   * Asked right before the start; false while a previous run is still cleaning up. Asked again every
   * 100 ms, at most 300 times, then the job fails.
   */
  isReady?(): boolean
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
  /** Null: made before names had keys. */
  nameKey: string | null
  nameContext: PhraseValues | null
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

/** What a job is called. */
export type Named = Pick<OperationView, 'name' | 'nameKey' | 'nameContext'>

/** A parked job and what it waits for. */
export interface WaitingView {
  operationId: string
  operationType: OperationType
  name: string
  blockedBy: Named | null
}

/** The status a cancel led to; `alreadyFinished` when there was nothing left to cancel. */
export interface CancelOutcome {
  status: OperationStatus
  alreadyFinished: boolean
}

/** The job was not taken: the wait queue is full or the service is stopping. Fit for the caller. */
export class OperationRefused extends Error {}

export interface Operations {
  /**
   * Starts the job, parks it behind what it conflicts with, or names the identical one.
   * Throws OperationRefused when the wait queue is full or the service is stopping.
   */
  submit(request: OperationRequest): Queued
  get(id: string): OperationView | null
  /** Like `get`, and also jobs that ended longer ago, as far as the history reaches. */
  find(id: string): OperationView | null
  /** Parked jobs, oldest first. */
  waiting(): WaitingView[]
  /** Ended jobs of the history, newest first. */
  recent(options: { limit: number; includeSilent?: boolean }): OperationView[]
  /** Asks a job to stop; a parked one is removed at once. Null: unknown. */
  cancel(id: string): CancelOutcome | null
  /**
   * Cancels, waits five seconds, then ends the job by force and marks it failed. Resolves when the
   * job is over; null when it is unknown or had ended before.
   */
  forceKill(id: string): Promise<OperationStatus | null>
  /** Called after every change of a job's status. */
  onChange(listener: () => void): void
  /** Everything that runs or waits, and what ended in the last ten seconds. */
  list(): OperationView[]
  /** Running operation of a type (and scope), or null. */
  active(type: OperationType, scope?: string): OperationView | null
  /** Marks what a previous process left running as failed. Called once, before the first submit. */
  recover(): number
  /** Cancels everything and waits, for shutdown. */
  stop(): Promise<void>
}
