import { useQuery } from '@tanstack/react-query'
import type { ScheduledPrefill } from '../../../../prefill/scheduled/stored.ts'
import type { BandwidthBody, BandwidthState } from '../../../../prefill/bandwidth/model.ts'
import type {
  ChangedScheduleBody,
  NewScheduleBody,
} from '../../../../prefill/scheduled/named-model.ts'
import { ask } from '../../../api/ask.ts'
import { keys } from '../../../api/keys.ts'
import {
  prefillSchedules as schedules,
  type NamedSchedule,
} from '../../../api/prefill-schedules.ts'

export type { ScheduledPrefill }

const scheduled = '/api/system/schedules/scheduledPrefill'
const bandwidth = '/api/ext/prefill/bandwidth'

const pollMs = 10_000

export const useScheduleConfig = () =>
  useQuery({
    queryKey: [...keys.prefill, 'config'],
    queryFn: () => ask<ScheduledPrefill>('GET', `${scheduled}/config`),
  })

export const useBandwidth = () =>
  useQuery({
    queryKey: [...keys.prefill, 'bandwidth'],
    queryFn: () => ask<BandwidthState>('GET', bandwidth),
    refetchInterval: pollMs,
  })

export const saveBandwidth = (next: BandwidthBody) => ask('PUT', bandwidth, next)
export const saveConfig = (config: ScheduledPrefill) => ask('PUT', `${scheduled}/config`, config)

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
export const addSchedule = (schedule: NewScheduleBody) =>
  ask<NamedSchedule>('POST', schedules, schedule)
export const saveSchedule = (next: NamedSchedule) =>
  ask('PUT', `${schedules}/${next.id}`, contentOf(next))
export const deleteSchedule = (id: string) => ask('DELETE', `${schedules}/${id}`)
export const runNow = () => ask('POST', `${schedules}/run`)
