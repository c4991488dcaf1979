import { api, keys, unwrap } from '../api/client.ts'
import {
  useIsAccount,
  useOperations,
  type Asking,
  type Operation,
  type ParkedOperation,
} from '../api/queries.ts'
import type { OperationType } from '../../core/operations/contract.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
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

const scanEveryMs = 4000

const scans = {
  gameDetection: (asking: Asking) => unwrap(api.games.detect.active.get(asking)),
  cacheSizeScan: (asking: Asking) => unwrap(api.cache.size.scan.status.get(asking)),
  evictionScan: (asking: Asking) => unwrap(api.stats.eviction.scan.status.get(asking)),
}

/** Whether a scan is running, including scheduled ones, which are not listed as operations. */
export function useIsScanning(type: keyof typeof scans): boolean {
  const { data } = useQuery({
    queryKey: [...keys.cache, 'scan', type],
    queryFn: async ({ signal }) => (await scans[type]({ fetch: { signal } })).isProcessing,
    enabled: useIsAccount(),
    refetchInterval: ({ state }) => (state.data === true ? scanEveryMs : false),
  })
  return useJobs([type]).isBusy || data === true
}
