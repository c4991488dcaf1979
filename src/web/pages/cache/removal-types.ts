import type { OperationType } from '../../../core/operations/contract.ts'

/** Jobs that take files out of the cache. */
export const removalTypes: readonly OperationType[] = [
  'gameRemoval',
  'serviceRemoval',
  'cacheClearing',
]
