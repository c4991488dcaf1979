import type { PrefillAccount } from '../../prefill/accounts/model.ts'
import {
  hasAccounts,
  platformOf,
  type AccountPlatform,
  type Platform,
} from '../../platforms/platforms.ts'
import type { PersistentSession } from '../../prefill/persistent/model.ts'
import { api, unwrap, keys } from './client.ts'
import { useRead } from './queries.ts'
import type { CredentialChallenge } from '../../prefill/hubs/payloads.ts'

export type { PersistentSession, PrefillAccount }

const { accounts } = api.ext.prefill
const { persistent } = api.system.prefill
const pollMs = 10_000

/** The accounts of all platforms that need one, those without a sign-in too. */
export const usePrefillAccounts = () =>
  useRead([...keys.prefill, 'accounts'], accounts.get, { refetchInterval: pollMs })

/** The first session of each platform, one row per running or failed one. */
export const usePersistent = () =>
  useRead([...keys.prefill, 'persistent'], persistent.list.get, { refetchInterval: pollMs })

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

export const useValidity = () => useRead([...keys.prefill, 'validity'], persistent.validity.get)

export const saveValidity = (days: number) => unwrap(persistent.validity.put({ days }))
export const forgetLogins = () => unwrap(persistent['clear-logins'].post())

export const startPersistent = (service: Platform) => unwrap(persistent.start.post({ service }))
export const stopPersistent = (sessionId: string) => unwrap(persistent.stop.post({ sessionId }))
/** Signs in with the account that is stored for the platform. */
export const loginStored = (service: Platform, sessionId: string) =>
  unwrap(api.ext.prefill.persistent['stored-login'].post({ service, sessionId }))

export const addAccount = (platform: AccountPlatform) => unwrap(accounts.post({ platform }))
export const startAccount = (id: string) => unwrap(accounts({ id }).start.post())
export const removeAccount = (id: string) => unwrap(accounts({ id }).delete())
export const logoutAccount = (id: string) => unwrap(accounts({ id }).logout.post())

/** Either the next question of the sign-in, or that it is over. */
export type LoginStep = Awaited<ReturnType<typeof loginAccount>>

export const isLoggedIn = (step: LoginStep): step is Extract<LoginStep, { status: string }> =>
  'status' in step && step.status === 'logged-in'

/** Seconds that one call waits for the next question. */
const waitSeconds = 25

export const loginAccount = (id: string) => unwrap(accounts({ id }).login.post())

/** Null: nothing new yet. */
export const nextChallenge = (id: string) =>
  unwrap(accounts({ id }).login.challenge.get({ query: { timeoutSeconds: waitSeconds } }))

export const answerChallenge = (
  id: string,
  {
    challenge: { challengeId },
    credential,
  }: { challenge: CredentialChallenge; credential: string },
) => unwrap(accounts({ id }).login.credential.post({ challengeId, credential }))

export const cancelLogin = (id: string) => unwrap(accounts({ id }).login.cancel.post())
