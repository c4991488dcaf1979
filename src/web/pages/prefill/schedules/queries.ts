import { useQuery } from '@tanstack/react-query'
import type { ScheduledPrefill } from '../../../../prefill/scheduled/stored.ts'
import type { BandwidthBody, BandwidthState } from '../../../../prefill/bandwidth/model.ts'
import type { PersistentSession as PersistentRow } from '../../../../prefill/persistent/model.ts'
import type {
  ChangedScheduleBody,
  NamedSchedule,
  NewScheduleBody,
} from '../../../../prefill/scheduled/named-model.ts'
import { ask } from '../../../api/ask.ts'
import { keys } from '../../../api/keys.ts'
import { isPlatform, type Platform } from '../../../../platforms/platforms.ts'
import type { CredentialChallenge } from '../wire.ts'

export type { NamedSchedule, PersistentRow, ScheduledPrefill }

const persistent = '/api/system/prefill/persistent'
const scheduled = '/api/system/schedules/scheduledPrefill'
const schedules = '/api/ext/prefill/schedules'
const bandwidth = '/api/ext/prefill/bandwidth'

/** The platform that the API calls by this name. */
export const platformNamed = (name: string): Platform | null => {
  const key = name.toLowerCase()
  return isPlatform(key) ? key : null
}

const pollMs = 10_000

export const usePersistent = () =>
  useQuery({
    queryKey: [...keys.prefill, 'persistent'],
    queryFn: () => ask<PersistentRow[]>('GET', `${persistent}/list`),
    refetchInterval: pollMs,
  })

export const useScheduleConfig = () =>
  useQuery({
    queryKey: [...keys.prefill, 'config'],
    queryFn: () => ask<ScheduledPrefill>('GET', `${scheduled}/config`),
  })

export const useSchedules = () =>
  useQuery({
    queryKey: [...keys.prefill, 'schedules'],
    queryFn: () => ask<NamedSchedule[]>('GET', schedules),
    refetchInterval: pollMs,
  })

export const useValidity = () =>
  useQuery({
    queryKey: [...keys.prefill, 'validity'],
    queryFn: () => ask<{ days: number }>('GET', `${persistent}/validity`),
  })

export const useBandwidth = () =>
  useQuery({
    queryKey: [...keys.prefill, 'bandwidth'],
    queryFn: () => ask<BandwidthState>('GET', bandwidth),
    refetchInterval: pollMs,
  })

export const saveBandwidth = (next: BandwidthBody) => ask('PUT', bandwidth, next)
export const saveConfig = (config: ScheduledPrefill) => ask('PUT', `${scheduled}/config`, config)
export const saveValidity = (days: number) => ask('PUT', `${persistent}/validity`, { days })

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
})
export const addSchedule = (schedule: NewScheduleBody) =>
  ask<NamedSchedule>('POST', schedules, schedule)
export const saveSchedule = (next: NamedSchedule) =>
  ask('PUT', `${schedules}/${next.id}`, contentOf(next))
export const deleteSchedule = (id: string) => ask('DELETE', `${schedules}/${id}`)
export const runSchedule = (id: string) =>
  ask<{ queued: boolean }>('POST', `${schedules}/${id}/run`)
export const runNow = () => ask('POST', `${schedules}/run`)
export const startPersistent = (service: Platform) =>
  ask('POST', `${persistent}/start`, { service })
export const stopPersistent = (sessionId: string) =>
  ask('POST', `${persistent}/stop`, { sessionId })
export const logoutPersistent = (service: Platform, sessionId: string) =>
  ask('POST', `${persistent}/logout`, { service, sessionId })
/** Signs in with the account that is stored for the platform. */
export const loginStored = (service: Platform, sessionId: string) =>
  ask('POST', '/api/ext/prefill/persistent/stored-login', { service, sessionId })
export const forgetLogins = () => ask('POST', `${persistent}/clear-logins`)

/** Either the next question of the sign-in, or that it is over. */
export type LoginStep = CredentialChallenge | { sessionId: string; status: 'logged-in' }

export const isLoggedIn = (step: LoginStep): step is Extract<LoginStep, { status: 'logged-in' }> =>
  'status' in step && step.status === 'logged-in'

/** Seconds that one call waits for the next question. */
const waitSeconds = 25

export const loginPersistent = (service: Platform, sessionId: string) =>
  ask<LoginStep>('POST', `${persistent}/login`, { service, sessionId })

/** Null: nothing new yet. */
export const nextChallenge = (service: Platform, sessionId: string) =>
  ask<LoginStep | null>(
    'GET',
    `${persistent}/challenge?service=${service}&sessionId=${sessionId}&timeoutSeconds=${waitSeconds}`,
  )

export const answerPersistent = (
  service: Platform,
  sessionId: string,
  answer: { challenge: CredentialChallenge; credential: string },
) => ask('POST', `${persistent}/credential`, { service, sessionId, ...answer })

export const cancelPersistentLogin = (service: Platform, sessionId: string) =>
  ask('POST', `${persistent}/cancel-login`, { service, sessionId })
