import {
  unfinished,
  type OperationRequest,
  type OperationResult,
  type Operations,
  type OperationType,
  type OperationView,
  type Queued,
} from '../core/operations/contract.ts'

export type MappingJobs = ReturnType<typeof createMappingJobs>

/** Jobs of one type, of which one at a time is active. */
export function createMappingJobs(operations: Operations, type: OperationType) {
  const ends = new Map<string, (result: OperationResult) => void>()
  // A job that is cancelled while it is queued never runs.
  operations.onChange(() => {
    for (const [id, end] of ends) {
      if (operations.get(id)?.status === 'cancelled') end({ kind: 'cancelled' })
    }
  })

  /** The running or queued job, or null. */
  const active = () =>
    operations.list().find((one) => one.type === type && unfinished.has(one.status)) ?? null

  return {
    active,
    /** Submits a job; `done` is its result and never rejects. */
    begin(request: Omit<OperationRequest, 'type'>): {
      queued: Queued
      done: Promise<OperationResult>
    } {
      const { promise: done, resolve } = Promise.withResolvers<OperationResult>()
      const queued = operations.submit({
        ...request,
        type,
        async run(context) {
          const result = await request.run(context)
          resolve(result)
          return result
        },
      })
      ends.set(queued.operationId, resolve)
      void done.then(() => ends.delete(queued.operationId))
      return { queued, done }
    },
    /** Cancels the active job; null when there is none. */
    cancel(): OperationView | null {
      const found = active()
      if (found !== null) operations.cancel(found.id)
      return found
    },
  }
}
