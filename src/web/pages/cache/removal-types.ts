import type { OperationType } from '../../../core/operations/contract.ts'

/** Jobs that remove files from the cache. */
export const removalTypes: readonly OperationType[] = [
  'gameRemoval',
  'serviceRemoval',
  'cacheClearing',
]
