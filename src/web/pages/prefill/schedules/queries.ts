import type { BandwidthBody } from '../../../../prefill/bandwidth/model.ts'
import type {
  ChangedScheduleBody,
  NewScheduleBody,
} from '../../../../prefill/scheduled/named-model.ts'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useRead } from '../../../api/queries.ts'
import {
  prefillSchedules as schedules,
  type NamedSchedule,
} from '../../../api/prefill-schedules.ts'

const { config } = api.system.schedules.scheduledPrefill
const { bandwidth } = api.ext.prefill

const pollMs = 10_000

export const useScheduleConfig = () => useRead([...keys.prefill, 'config'], config.get)
export type ScheduledPrefill = NonNullable<ReturnType<typeof useScheduleConfig>['data']>

export const useBandwidth = () =>
  useRead([...keys.prefill, 'bandwidth'], bandwidth.get, { refetchInterval: pollMs })

export const saveBandwidth = (next: BandwidthBody) => unwrap(bandwidth.put(next))
export const saveConfig = (next: ScheduledPrefill) => unwrap(config.put(next))

const contentOf = (schedule: NamedSchedule): ChangedScheduleBody => ({
  name: schedule.name,
  enabled: schedule.enabled,
  notificationMode: schedule.notificationMode,
  intervalHours: schedule.intervalHours,
  customSchedule: schedule.customSchedule,
  preset: schedule.preset,
  topCount: schedule.topCount,
  selectedAppIds: schedule.selectedAppIds,
  operatingSystems: schedule.operatingSystems,
  force: schedule.force,
  maxConcurrency: schedule.maxConcurrency,
  cache: schedule.cache ?? null,
})
export const addSchedule = (schedule: NewScheduleBody) => unwrap(schedules.post(schedule))
export const saveSchedule = (next: NamedSchedule) =>
  unwrap(schedules({ id: next.id }).put(contentOf(next)))
export const deleteSchedule = (id: string) => unwrap(schedules({ id }).delete())
export const runNow = () => unwrap(schedules.run.post())
