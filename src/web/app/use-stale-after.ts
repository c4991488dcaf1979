import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { OperationType } from '../../core/operations/contract.ts'
import { useJobs } from './use-jobs.ts'

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
