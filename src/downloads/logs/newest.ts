import type { Operations, OperationType, OperationView } from '../../core/operations/contract.ts'

/** The operation of this type that is going on, else the one that began last and is still told. */
export const newestOf = (operations: Operations, type: OperationType): OperationView | undefined =>
  operations.active(type) ??
  operations
    .list()
    .filter((one) => one.type === type)
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0]
