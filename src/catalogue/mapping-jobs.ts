import {
  unfinished,
  type OperationRequest,
  type OperationResult,
  type Operations,
  type OperationType,
  type OperationView,
  type Queued,
} from '../core/operations/contract.ts'

/** Jobs of one type, of which one at a time is active. */
export function createMappingJobs(operations: Operations, type: OperationType) {
  const ends = new Map<string, PromiseWithResolvers<OperationResult>>()
  // A job that is cancelled while it is queued never runs, and one that throws has no result.
  operations.onChange(() => {
    for (const [id, end] of ends) {
      const { status, error } = operations.get(id) ?? {}
      if (status === 'cancelled') end.resolve({ kind: 'cancelled' })
      if (status === 'failed') end.resolve({ kind: 'failed', error: error ?? '' })
    }
  })

  /** The running or queued job, or null. */
  const active = () =>
    operations.list().find((one) => one.type === type && unfinished.has(one.status)) ?? null

  return {
    active,
    /** Submits a job, or joins the same one; `done` is its result and never rejects. */
    begin(request: Omit<OperationRequest, 'type'>): {
      queued: Queued
      done: Promise<OperationResult>
    } {
      const own = Promise.withResolvers<OperationResult>()
      const queued = operations.submit({
        ...request,
        type,
        async run(context) {
          const result = await request.run(context)
          own.resolve(result)
          return result
        },
      })
      const { operationId } = queued
      const end = ends.get(operationId) ?? own
      ends.set(operationId, end)
      void end.promise.then(() => ends.delete(operationId))
      return { queued, done: end.promise }
    },
    /** The active job, as the answer to a request for another one; null: there is none. */
    joined(): Queued | null {
      const found = active()
      if (found === null) return null
      const isWaiting = found.status === 'waiting'
      const status = isWaiting ? 'waiting' : 'alreadyRunning'
      return { operationId: found.id, queued: isWaiting, alreadyRunning: true, status }
    },
    /** Cancels the active job; null when there is none. */
    cancel(): OperationView | null {
      const found = active()
      if (found !== null) operations.cancel(found.id)
      return found
    },
  }
}
