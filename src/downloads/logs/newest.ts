import type { Operations, OperationType, OperationView } from '../../core/operations/contract.ts'

/** The running operation of this type, else the most recent one still listed. */
export const newestOf = (operations: Operations, type: OperationType): OperationView | undefined =>
  operations.active(type) ??
  operations
    .list()
    .filter((one) => one.type === type)
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0]
