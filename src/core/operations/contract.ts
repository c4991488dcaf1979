/** Types of the operations API; values as on the wire. */

import { Type, type Static } from '@sinclair/typebox'
import { Flag, Model, Nullable, Percent, stringUnion, Text, TextOf, Utc } from '../lib/schema.ts'
import type { PhraseValues } from '../lib/phrases.ts'
import type { EventName } from '../live/events.ts'

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
  'prefill',
  'prefillReady',
  'prefillReadyCheck',
  'prefillShelf',
  'eventTagging',
  'historyRetention',
  'backup',
  'restore',
] as const
export type OperationType = (typeof operationTypes)[number]

export const operationStatuses = [
  'pending',
  'running',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
  'waiting',
  'skipped',
] as const
export const OperationStatus = stringUnion(operationStatuses)
export type OperationStatus = Static<typeof OperationStatus>

/** Running or queued. */
export const unfinished: ReadonlySet<OperationStatus> = new Set([
  'pending',
  'running',
  'cancelling',
  'waiting',
])

/** A daemon goes on with them while the service is away. */
export const outlivingTypes: ReadonlySet<OperationType> = new Set([
  'prefill',
  'prefillReady',
  'prefillShelf',
  'scheduledPrefill',
])

export interface OperationContext {
  readonly operationId: string
  readonly signal: AbortSignal
  /** Passes on at most four reports a second; the last one always. */
  report: (progress: OperationProgress) => void
}

export interface OperationProgress {
  /** 0 to 100; a lower value than the last one is ignored. */
  percentComplete?: number
  stageKey?: string
  /** Values that complete the text of the stage key. */
  context?: Record<string, unknown>
  message?: string
  /** Members added to the `<prefix>Progress` event. */
  fields?: Record<string, unknown>
}

type Report = Omit<OperationProgress, 'percentComplete'>

/** How a job ended. `fields` are members added to the `<prefix>Complete` event. */
export type OperationResult =
  | ({ kind: 'completed' | 'skipped' } & Report)
  | ({ kind: 'cancelled' } & Pick<Report, 'fields'>)
  | ({ kind: 'failed'; error: string } & Omit<Report, 'message'>)

/** Prefixes of events `<prefix>Started` with such an end. */
type Prefix<End extends string, E = EventName> = E extends `${infer P}Started`
  ? `${P}${End}` extends EventName
    ? P
    : never
  : never

/** Names of the three events of a job; `complete` is the last one's where it is different. */
type EventNames =
  | { prefix: Prefix<'Complete'>; complete?: never }
  | { prefix: Prefix<'Completed'>; complete: `${Prefix<'Completed'>}Completed` }

/** The events of one kind of job: `<prefix>Started`, `<prefix>Progress`, `<prefix>Complete`. */
export type OperationEvents = EventNames & {
  /** Members added to all three events, unless a report or the result overrides them. */
  startedFields?: Record<string, unknown>
  /** Sent if set: whether the dashboard shows a notification for this run. */
  showNotification?: boolean
}

export interface OperationRequest {
  type: OperationType
  /** `bulk`, `alpha:<appId>`, `beta:<id>`, `named:<service>:<game>`, `service:<name>`. */
  scope: string
  /**
   * Distinguishes jobs of the same type and scope: a different one is queued, while the same one is
   * only returned. Empty by default.
   */
  variant?: string
  /** English name in the operations drawer; made by `named` of names.ts. */
  name: string
  /** The same for translated pages. */
  nameKey?: string | null
  nameContext?: PhraseValues | null
  /** Hidden by default: scheduled and live runs. */
  isSilent?: boolean
  /**
   * Id of one of `held`: this job goes on with its work, and keeps its id and its start. It begins
   * with an aborted signal if that was cancelled.
   */
  continues?: string | undefined
  /**
   * Asked when the service stops: true leaves the job running, for the next process to continue. The
   * type is one of `outlivingTypes`.
   */
  outlives?(): boolean
  /** If set, the job also sends these events. Silent jobs leave it out. */
  events?: OperationEvents
  /**
   * Called right before the start; false while a previous run is still cleaning up. Retried every
   * 100 ms, at most 300 times, then the job fails.
   */
  isReady?(): boolean
  run(context: OperationContext): Promise<OperationResult>
  /** Stops work that ignores the signal; used by force-kill. */
  kill?(): Promise<void> | void
}

/** Members of QueuedOperationResponse. */
export const queued = {
  operationId: Text,
  queued: Flag,
  alreadyRunning: Flag,
  status: TextOf<'started' | 'waiting' | 'alreadyRunning'>(),
}
export const Queued = Model('QueuedOperationResponse', queued)
export type Queued = Static<typeof Queued>

/** Members of OperationResponse and QueuedOperationResponse together. */
export const startedJob = {
  message: Text,
  operationId: Text,
  status: stringUnion(['running', 'waiting']),
  queued: Flag,
  alreadyRunning: Flag,
}

const context = Nullable(Type.Record(Text, Type.Unknown()))

/** A job as events and the API show it. */
export const operation = Model('Operation', {
  id: Text,
  type: Type.Unsafe<OperationType>(Type.String({ enum: [...operationTypes] })),
  scope: Text,
  name: Text,
  /** Null: created before names had keys. */
  nameKey: Nullable(Text),
  nameContext: Type.Unsafe<PhraseValues | null>(context),
  status: Type.Unsafe<OperationStatus>(Type.String({ enum: [...operationStatuses] })),
  percentComplete: Percent,
  stageKey: Nullable(Text),
  context,
  message: Nullable(Text),
  error: Nullable(Text),
  isSilent: Flag,
  createdAt: Utc,
  startedAt: Nullable(Utc),
  finishedAt: Nullable(Utc),
})

export interface OperationView extends Omit<
  Static<typeof operation>,
  'createdAt' | 'startedAt' | 'finishedAt'
> {
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

/** In the form of events and answers. */
export const wireView = (view: OperationView): Static<typeof operation> => ({
  ...view,
  createdAt: view.createdAt.toISOString(),
  startedAt: view.startedAt?.toISOString() ?? null,
  finishedAt: view.finishedAt?.toISOString() ?? null,
})

/** Name of a job. */
export type Named = Pick<OperationView, 'name' | 'nameKey' | 'nameContext'>

/** A queued job and the job that it waits for. */
export interface WaitingView {
  operationId: string
  operationType: OperationType
  name: string
  blockedBy: Named | null
}

/** The resulting status; `alreadyFinished` when the job had ended before. */
export interface CancelOutcome {
  status: OperationStatus
  alreadyFinished: boolean
}

/**
 * The job was refused: the queue is full or the service is stopping. May be shown to the caller.
 */
export class OperationRefused extends Error {}

export interface Operations {
  /**
   * Starts the job, queues it behind jobs it conflicts with, or returns the identical one. Throws
   * OperationRefused when the queue is full or the service is stopping.
   */
  submit(request: OperationRequest): Queued
  get(id: string): OperationView | null
  /** Like `get`, but includes older jobs from the history. */
  find(id: string): OperationView | null
  /** Queued jobs, oldest first. */
  waiting(): WaitingView[]
  /** Ended jobs of the history, newest first. */
  recent(options: { limit: number; includeSilent?: boolean }): OperationView[]
  /** Cancels a job; a queued one is removed at once. Null: unknown. */
  cancel(id: string): CancelOutcome | null
  /**
   * Cancels, waits five seconds, then kills the job and marks it failed. Resolves when the job is
   * over; null when it is unknown or had ended before. One of `held` is only cancelled, as nothing
   * of it runs here.
   */
  forceKill(id: string): Promise<OperationStatus | null>
  /** Called after every change of a job's status. */
  onChange(listener: () => void): void
  /** Running, held and queued jobs, and those that ended in the last ten seconds. */
  list(): OperationView[]
  active(type: OperationType, scope?: string): OperationView | null
  /**
   * Marks jobs left by a previous process as failed, or as cancelled if they were, except those that
   * had begun and are of `outlivingTypes`. Called once, before the first submit. Returns the number
   * of marked ones.
   */
  recover(): number
  /** Jobs of a previous process of which it is not known yet whether something goes on. */
  held(type: OperationType): OperationView[]
  /** The same for those that no submitted job has continued. */
  endHeld(): void
  /** Called with the jobs that were marked; at once with those of `recover`. */
  onInterrupted(listener: (jobs: readonly OperationView[]) => void): void
  /** Removes jobs that ended before this moment from the history; returns their number. */
  forget(endedBefore: Date): number
  /** Cancels everything and waits, for shutdown. */
  stop(): Promise<void>
}
