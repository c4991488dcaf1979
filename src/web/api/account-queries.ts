import { useQuery } from '@tanstack/react-query'
import type { PrefillAccount } from '../../prefill/accounts/model.ts'
import {
  hasAccounts,
  platformOf,
  type AccountPlatform,
  type Platform,
} from '../../platforms/platforms.ts'
import type { PersistentSession } from '../../prefill/persistent/model.ts'
import { ask } from './ask.ts'
import { keys } from './keys.ts'
import type { CredentialChallenge } from '../../prefill/hubs/payloads.ts'

export type { PersistentSession, PrefillAccount }

const accounts = '/api/ext/prefill/accounts'
const persistent = '/api/system/prefill/persistent'
const pollMs = 10_000

/** The accounts of all platforms that need one, those without a sign-in too. */
export const usePrefillAccounts = () =>
  useQuery({
    queryKey: [...keys.prefill, 'accounts'],
    queryFn: () => ask<PrefillAccount[]>('GET', accounts),
    refetchInterval: pollMs,
  })

/** The first session of each platform, one row per running or failed one. */
export const usePersistent = () =>
  useQuery({
    queryKey: [...keys.prefill, 'persistent'],
    queryFn: () => ask<PersistentSession[]>('GET', `${persistent}/list`),
    refetchInterval: pollMs,
  })

/** Whether the daemon of a platform can be asked now. */
export type IsSignedIn = (platform: Platform) => boolean

/** Undefined while that is not known. */
export function useSignedIn(): IsSignedIn | undefined {
  const { data: accounts } = usePrefillAccounts()
  const { data: sessions } = usePersistent()
  if (accounts === undefined || sessions === undefined) return undefined
  return (platform) =>
    hasAccounts(platform)
      ? accounts.some((one) => one.platform === platform && one.state === 'signedIn')
      : sessions.some(({ service, isRunning }) => isRunning && platformOf(service) === platform)
}

export const useValidity = () =>
  useQuery({
    queryKey: [...keys.prefill, 'validity'],
    queryFn: () => ask<{ days: number }>('GET', `${persistent}/validity`),
  })

export const saveValidity = (days: number) => ask('PUT', `${persistent}/validity`, { days })
export const forgetLogins = () => ask('POST', `${persistent}/clear-logins`)

export const startPersistent = (service: Platform) =>
  ask('POST', `${persistent}/start`, { service })
export const stopPersistent = (sessionId: string) =>
  ask('POST', `${persistent}/stop`, { sessionId })
/** Signs in with the account that is stored for the platform. */
export const loginStored = (service: Platform, sessionId: string) =>
  ask('POST', '/api/ext/prefill/persistent/stored-login', { service, sessionId })

export const addAccount = (platform: AccountPlatform) =>
  ask<PrefillAccount>('POST', accounts, { platform })
export const startAccount = (id: string) => ask<PrefillAccount>('POST', `${accounts}/${id}/start`)
export const removeAccount = (id: string) => ask('DELETE', `${accounts}/${id}`)
export const logoutAccount = (id: string) => ask('POST', `${accounts}/${id}/logout`)

/** Either the next question of the sign-in, or that it is over. */
export type LoginStep = CredentialChallenge | { sessionId: string; status: 'logged-in' }

export const isLoggedIn = (step: LoginStep): step is Extract<LoginStep, { status: 'logged-in' }> =>
  'status' in step && step.status === 'logged-in'

/** Seconds that one call waits for the next question. */
const waitSeconds = 25

export const loginAccount = (id: string) => ask<LoginStep>('POST', `${accounts}/${id}/login`)

/** Null: nothing new yet. */
export const nextChallenge = (id: string) =>
  ask<LoginStep | null>('GET', `${accounts}/${id}/login/challenge?timeoutSeconds=${waitSeconds}`)

export const answerChallenge = (
  id: string,
  {
    challenge: { challengeId },
    credential,
  }: { challenge: CredentialChallenge; credential: string },
) => ask('POST', `${accounts}/${id}/login/credential`, { challengeId, credential })

export const cancelLogin = (id: string) => ask('POST', `${accounts}/${id}/login/cancel`)
