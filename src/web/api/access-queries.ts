import { platforms, type Platform } from '../../platforms/platforms.ts'
import { useQuery } from '@tanstack/react-query'
import type { Account } from '../../access/accounts/model.ts'
import type { UserPreferences } from '../../access/preferences/model.ts'
import type { SessionDto, SessionList } from '../../access/sessions/model.ts'
import type { ThemeInfo } from '../../access/themes/model.ts'
import { api, unwrap, keys } from './client.ts'
import { useAccountRead, useIsAccount, useRead, useStatus } from './queries.ts'

export type { Account, SessionDto, ThemeInfo, UserPreferences }

/** One call answers at most this many sessions. */
const sessionPageSize = 100
/** More active sessions than this are counted but not listed. */
const sessionPagesMax = 5

export const useAccounts = () => useAccountRead(keys.accounts, api.accounts.get)

/** Every active session up to a limit, so that filters and search see all of them. */
async function readSessions(signal: AbortSignal): Promise<SessionList> {
  const read = (page: number) =>
    unwrap(api.sessions.get({ query: { page, pageSize: sessionPageSize }, fetch: { signal } }))
  const first = await read(1)
  const sessions = [...first.sessions]
  const pages = Math.min(first.pagination.totalPages, sessionPagesMax)
  for (let page = 2; page <= pages; page++) sessions.push(...(await read(page)).sessions)
  return { ...first, sessions }
}

export const useSessions = () =>
  useQuery({
    queryKey: keys.sessions,
    queryFn: ({ signal }) => readSessions(signal),
    enabled: useIsAccount(),
    refetchInterval: 60_000,
  })

/** Preferences of the caller's own session. */
export function usePreferences() {
  const { data } = useStatus()
  return useRead([...keys.preferences, data?.sessionId ?? ''], api['user-preferences'].get, {
    enabled: data?.isAuthenticated === true,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export const useSessionPreferences = (sessionId: string) =>
  useRead([...keys.preferences, sessionId], api['user-preferences'].session({ sessionId }).get)

export const useGuestConfig = () => useRead([...keys.guests, 'config'], api.auth.guest.config.get)

export const useGuestDuration = () =>
  useAccountRead([...keys.guests, 'duration'], api.auth.guest.config.duration.get)

export interface GuestPrefill {
  enabledByDefault: boolean
  durationHours: number
  /** Null: no limit. Absent: this platform knows none. */
  maxThreadCount?: number | null
}

/** Typed as beta's: the others differ only in whether there is a thread limit. */
export const guestPrefillOf = (platform: Exclude<Platform, 'alpha'>) =>
  api.auth.guest[`${platform}-prefill` as 'beta-prefill'].config

async function readGuestPrefill(signal: AbortSignal): Promise<Record<Platform, GuestPrefill>> {
  const options = { fetch: { signal } }
  const entries = await Promise.all(
    platforms.map(async (platform): Promise<[Platform, GuestPrefill]> => {
      if (platform !== 'alpha') {
        return [platform, await unwrap(guestPrefillOf(platform).get(options))]
      }
      const answer = await unwrap(api.auth.guest.prefill.config.get(options))
      const { enabledByDefault, durationHours, maxThreadCount } = answer
      return [platform, { enabledByDefault, durationHours, maxThreadCount }]
    }),
  )
  // One per platform.
  return Object.fromEntries(entries) as Record<Platform, GuestPrefill>
}

export const useGuestPrefill = () =>
  useQuery({
    queryKey: [...keys.guests, 'prefill'],
    queryFn: ({ signal }) => readGuestPrefill(signal),
  })

/** Preferences that new guest sessions start with. */
export const useGuestDefaults = () =>
  useRead([...keys.guests, 'defaults'], api.system['default-guest-preferences'].get)

export const useGuestRate = () =>
  useRead([...keys.guests, 'rate'], api.system['default-guest-refresh-rate'].get, {
    staleTime: 60_000,
  })

export const useSystemRate = () =>
  useRead(keys.systemRate, api.system['refresh-rate'].get, { staleTime: 60_000 })

export const useThemes = () => useRead(keys.themes, api.themes.get)

/** The theme that new guest sessions start with. */
export const useGuestTheme = () =>
  useRead([...keys.guests, 'theme'], api.themes.preferences.guest.get)

export const useAlphaKeyStatus = () =>
  useRead(keys.alphaKey, (asking) =>
    api['alpha-api-keys'].status.get({ query: { forceRefresh: false }, ...asking }),
  )

export const useAlphaAuth = () => useRead(keys.alphaAuth, api['alpha-auth'].status.get)
