import type { NamedSchedule } from '../../prefill/scheduled/named-model.ts'
import { api, unwrap, keys } from './client.ts'
import { useAccountRead } from './queries.ts'

export type { NamedSchedule }

export const prefillSchedules = api.ext.prefill.schedules
const pollMs = 10_000

export const usePrefillSchedules = () =>
  useAccountRead([...keys.prefill, 'schedules'], prefillSchedules.get, { refetchInterval: pollMs })

/** Nodes whose caches can be filled. */
export const usePrefillCaches = () =>
  useAccountRead([...keys.prefill, 'caches'], prefillSchedules.caches.get)

export const runSchedule = (id: string) => unwrap(prefillSchedules({ id }).run.post())
