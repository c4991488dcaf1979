import { useOperations, type Operation, type ParkedOperation } from '../api/queries.ts'
import type { OperationType } from '../../core/operations/contract.ts'

export type Job = Operation & { blockedBy?: ParkedOperation['blockedBy'] }

/** Running and recently finished jobs of some types. */
export function useJobs(types: readonly OperationType[]) {
  const { data } = useOperations()
  const isMeant = ({ type }: Operation) => types.some((known) => known === type)
  const running: Job[] = [...(data?.running ?? []), ...(data?.waiting ?? [])].filter(isMeant)
  const recent: Job[] = (data?.recent ?? []).filter((job) => isMeant(job) && !job.isSilent)
  return { running, recent, isBusy: running.length > 0 }
}
