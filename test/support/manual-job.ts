import type {
  OperationContext,
  OperationRequest,
  OperationResult,
} from '../../src/core/operations/contract.ts'

/** A job that ends on the test's command. */
export function manualJob(request: Partial<OperationRequest> = {}) {
  const end = Promise.withResolvers<OperationResult>()
  const begun = Promise.withResolvers<OperationContext>()
  const full: OperationRequest = {
    type: 'logProcessing',
    scope: 'bulk',
    name: 'Log processing',
    run(context) {
      begun.resolve(context)
      return end.promise
    },
    ...request,
  }
  return { request: full, end: end.resolve, begun: begun.promise, fail: end.reject }
}
