import { useQuery } from '@tanstack/react-query'
import type {
  ScheduledPrefill,
  ScheduledService,
} from '../../../../core/settings/scheduled-prefill.ts'
import type { BandwidthBody, BandwidthState } from '../../../../prefill/bandwidth/model.ts'
import type { PersistentSession as PersistentRow } from '../../../../prefill/persistent/model.ts'
import type { ServicePlan as PlannedRun } from '../../../../prefill/scheduled/model.ts'
import { ask } from '../../../api/ask.ts'
import { keys } from '../../../api/keys.ts'
import { isPlatform, type Platform } from '../platforms.ts'
import type { CredentialChallenge } from '../wire.ts'

export type { PersistentRow, PlannedRun, ScheduledPrefill, ScheduledService }

const persistent = '/api/system/prefill/persistent'
const scheduled = '/api/system/schedules/scheduledPrefill'
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

export const usePlannedRuns = () =>
  useQuery({
    queryKey: [...keys.prefill, 'planned'],
    queryFn: () => ask<PlannedRun[]>('GET', `${scheduled}/schedule`),
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
export const runNow = () => ask('POST', '/api/system/schedules/scheduledPrefill/run')
export const startPersistent = (service: Platform) =>
  ask('POST', `${persistent}/start`, { service })
export const stopPersistent = (sessionId: string) =>
  ask('POST', `${persistent}/stop`, { sessionId })
export const logoutPersistent = (service: Platform, sessionId: string) =>
  ask('POST', `${persistent}/logout`, { service, sessionId })
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
