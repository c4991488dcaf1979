import { useOperations, type Operation, type ParkedOperation } from '../api/queries.ts'
import type { OperationType } from '../../core/operations/contract.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

export type Job = Operation & { blockedBy?: ParkedOperation['blockedBy'] }

/** Running and recently finished jobs of some types. */
export function useJobs(types: readonly OperationType[]) {
  const { data } = useOperations()
  const isMeant = ({ type }: Operation) => types.some((known) => known === type)
  const running: Job[] = [...(data?.running ?? []), ...(data?.waiting ?? [])].filter(isMeant)
  const recent: Job[] = (data?.recent ?? []).filter((job) => isMeant(job) && !job.isSilent)
  return { running, recent, isBusy: running.length > 0 }
}

/** Refetches queries when a job of these types starts or ends. */
export function useStaleAfter(
  types: readonly OperationType[],
  stale: readonly (readonly string[])[],
): void {
  const queries = useQueryClient()
  const { running, recent } = useJobs(types)
  const state = [...running, ...recent].map(({ id, status }) => `${id} ${status}`).join()
  const before = useRef(state)
  useEffect(() => {
    if (before.current === state) return
    before.current = state
    for (const queryKey of stale) void queries.invalidateQueries({ queryKey })
  })
}
