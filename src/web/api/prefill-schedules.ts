import { useQuery } from '@tanstack/react-query'
import type { NamedSchedule } from '../../prefill/scheduled/named-model.ts'
import { ask } from './ask.ts'
import { keys } from './keys.ts'
import { useIsAccount } from './queries.ts'

export type { NamedSchedule }

export const prefillSchedules = '/api/ext/prefill/schedules'
const pollMs = 10_000

export const usePrefillSchedules = () =>
  useQuery({
    queryKey: [...keys.prefill, 'schedules'],
    queryFn: () => ask<NamedSchedule[]>('GET', prefillSchedules),
    refetchInterval: pollMs,
    enabled: useIsAccount(),
  })

/** Nodes whose caches can be filled. */
export const usePrefillCaches = () =>
  useQuery({
    queryKey: [...keys.prefill, 'caches'],
    queryFn: () => ask<string[]>('GET', `${prefillSchedules}/caches`),
    enabled: useIsAccount(),
  })

export const runSchedule = (id: string) =>
  ask<{ queued: boolean }>('POST', `${prefillSchedules}/${id}/run`)
