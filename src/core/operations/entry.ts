import type { Clock } from '../lib/clock.ts'
import type { Named, OperationRequest, OperationStatus, OperationView } from './contract.ts'
import type { ProgressThrottle } from './progress.ts'

/** A job in the registry while it is queued, runs, or has just ended. */
export interface Entry {
  view: OperationView
  readonly request: OperationRequest
  readonly controller: AbortController
  /** Goes on with a job of a previous process: it is told of a cancel, however early that was. */
  readonly isContinued: boolean
  /** Resolves when the job has reached its final status. */
  readonly ended: PromiseWithResolvers<void>
  throttle: ProgressThrottle | null
  blockedBy: Named | null
  /** How often the start was postponed because a previous run was still cleaning up. */
  refusedStarts: number
}

const terminal: ReadonlySet<OperationStatus> = new Set([
  'completed',
  'failed',
  'cancelled',
  'skipped',
])

export const isOver = (view: OperationView): boolean => terminal.has(view.status)

/** `before`: the job of a previous process that the request continues. */
export function createEntry(
  request: OperationRequest,
  clock: Clock,
  before?: OperationView,
): Entry {
  return {
    request,
    controller: new AbortController(),
    isContinued: before !== undefined,
    ended: Promise.withResolvers<void>(),
    throttle: null,
    blockedBy: null,
    refusedStarts: 0,
    view: {
      id: before?.id ?? crypto.randomUUID(),
      type: request.type,
      scope: request.scope,
      name: request.name,
      nameKey: request.nameKey ?? null,
      nameContext: request.nameContext ?? null,
      status: 'pending',
      percentComplete: before?.percentComplete ?? 0,
      stageKey: null,
      context: null,
      message: null,
      error: null,
      isSilent: request.isSilent ?? false,
      createdAt: before?.createdAt ?? clock.now(),
      startedAt: before?.startedAt ?? null,
      finishedAt: null,
    },
  }
}
