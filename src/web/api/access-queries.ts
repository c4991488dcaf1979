import { useQuery } from '@tanstack/react-query'
import type { Account } from '../../api/access/accounts/model.ts'
import type { UserPreferences } from '../../api/access/preferences/model.ts'
import type { SessionDto, SessionList } from '../../api/access/sessions/model.ts'
import type { ThemeInfo } from '../../api/access/themes/model.ts'
import { api, unwrap } from './eden.ts'
import { keys } from './keys.ts'
import { useIsAccount, useStatus } from './queries.ts'

export type { Account, SessionDto, ThemeInfo, UserPreferences }

/** One call answers at most this many sessions. */
const sessionPageSize = 100
/** More active sessions than this are counted but not listed. */
const sessionPagesMax = 5

export const useAccounts = () =>
  useQuery({
    queryKey: keys.accounts,
    queryFn: ({ signal }): Promise<Account[]> => unwrap(api.accounts.get({ fetch: { signal } })),
    enabled: useIsAccount(),
  })

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
  return useQuery({
    queryKey: [...keys.preferences, data?.sessionId ?? ''],
    queryFn: ({ signal }): Promise<UserPreferences> =>
      unwrap(api['user-preferences'].get({ fetch: { signal } })),
    enabled: data?.isAuthenticated === true,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export const useSessionPreferences = (sessionId: string) =>
  useQuery({
    queryKey: [...keys.preferences, sessionId],
    queryFn: ({ signal }): Promise<UserPreferences> =>
      unwrap(api['user-preferences'].session({ sessionId }).get({ fetch: { signal } })),
  })

export const useGuestConfig = () =>
  useQuery({
    queryKey: [...keys.guests, 'config'],
    queryFn: ({ signal }) => unwrap(api.auth.guest.config.get({ fetch: { signal } })),
  })

export const useGuestDuration = () =>
  useQuery({
    queryKey: [...keys.guests, 'duration'],
    queryFn: ({ signal }) => unwrap(api.auth.guest.config.duration.get({ fetch: { signal } })),
    enabled: useIsAccount(),
  })

export interface GuestPrefill {
  enabledByDefault: boolean
  durationHours: number
  /** Null: no limit. Absent: this platform knows none. */
  maxThreadCount?: number | null
}

export const guestPlatforms = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'] as const
export type GuestPlatform = (typeof guestPlatforms)[number]

async function readGuestPrefill(signal: AbortSignal): Promise<Record<GuestPlatform, GuestPrefill>> {
  const options = { fetch: { signal } }
  const { guest } = api.auth
  const [alpha, beta, gamma, delta, epsilon] = await Promise.all([
    unwrap(guest.prefill.config.get(options)),
    unwrap(guest['beta-prefill'].config.get(options)),
    unwrap(guest['gamma-prefill'].config.get(options)),
    unwrap(guest['delta-prefill'].config.get(options)),
    unwrap(guest['epsilon-prefill'].config.get(options)),
  ])
  const { enabledByDefault, durationHours, maxThreadCount } = alpha
  return { alpha: { enabledByDefault, durationHours, maxThreadCount }, beta, gamma, delta, epsilon }
}

export const useGuestPrefill = () =>
  useQuery({
    queryKey: [...keys.guests, 'prefill'],
    queryFn: ({ signal }) => readGuestPrefill(signal),
  })

/** What new guest sessions start with. */
export const useGuestDefaults = () =>
  useQuery({
    queryKey: [...keys.guests, 'defaults'],
    queryFn: ({ signal }) =>
      unwrap(api.system['default-guest-preferences'].get({ fetch: { signal } })),
  })

export const useGuestRate = () =>
  useQuery({
    queryKey: [...keys.guests, 'rate'],
    queryFn: ({ signal }) =>
      unwrap(api.system['default-guest-refresh-rate'].get({ fetch: { signal } })),
    staleTime: 60_000,
  })

export const useSystemRate = () =>
  useQuery({
    queryKey: keys.systemRate,
    queryFn: ({ signal }) => unwrap(api.system['refresh-rate'].get({ fetch: { signal } })),
    staleTime: 60_000,
  })

export const useThemes = () =>
  useQuery({
    queryKey: keys.themes,
    queryFn: ({ signal }): Promise<ThemeInfo[]> => unwrap(api.themes.get({ fetch: { signal } })),
  })

/** The theme that new guest sessions start with. */
export const useGuestTheme = () =>
  useQuery({
    queryKey: [...keys.guests, 'theme'],
    queryFn: ({ signal }) => unwrap(api.themes.preferences.guest.get({ fetch: { signal } })),
  })

export const useAlphaKeyStatus = () =>
  useQuery({
    queryKey: keys.alphaKey,
    queryFn: ({ signal }) =>
      unwrap(
        api['alpha-api-keys'].status.get({ query: { forceRefresh: false }, fetch: { signal } }),
      ),
  })

export const useAlphaAuth = () =>
  useQuery({
    queryKey: keys.alphaAuth,
    queryFn: ({ signal }) => unwrap(api['alpha-auth'].status.get({ fetch: { signal } })),
  })
