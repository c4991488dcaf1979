import { api, unwrap, keys } from '../../api/client.ts'
import { useRead, useStatus } from '../../api/queries.ts'
import { useQuery } from '@tanstack/react-query'
import type { PlatformState } from '../../../prefill/overview/model.ts'
import { type Platform, platforms } from '../../../platforms/platforms.ts'
import type { StartPrefillBody } from '../../../prefill/sessions/model.ts'

export type { PlatformState }

const pollMs = 30_000

/** How each platform is run, and whether that works now. */
export const usePlatforms = () =>
  useRead([...keys.prefill, 'platforms'], api.ext.prefill.platforms.get, {
    refetchInterval: pollMs,
  })

/** Typed as alpha's: the others are the same. */
const daemonSession = (platform: Platform, sessionId: string) =>
  api[`${platform}-daemon` as 'alpha-daemon'].sessions({ sessionId })

/** A game with its id as text, which is how it is selected. */
export interface Game {
  id: string
  name: string
}

/** The games that the signed-in account owns, or that the platform offers. */
export const useLibrary = (platform: Platform, sessionId: string) =>
  useQuery({
    queryKey: [...keys.prefill, 'games', platform, sessionId],
    queryFn: async (): Promise<Game[]> => {
      const games = await unwrap(daemonSession(platform, sessionId).games.get())
      const listed = games.map(({ appId, name }) => ({ id: String(appId), name }))
      return listed.toSorted((a, b) => a.name.localeCompare(b.name))
    },
    staleTime: 5 * 60_000,
  })

export const selectApps = (platform: Platform, sessionId: string, appIds: readonly string[]) =>
  unwrap(daemonSession(platform, sessionId)['selected-apps'].post({ appIds: [...appIds] }))

export const readCacheStatus = (platform: Platform, sessionId: string, appIds: readonly string[]) =>
  unwrap(daemonSession(platform, sessionId)['cache-status'].post({ appIds: [...appIds] }))

/** Resolves when the run is started or queued; events report its end. */
export const startRun = (platform: Platform, sessionId: string, options: StartPrefillBody) =>
  unwrap(
    daemonSession(platform, sessionId).prefill.post(options, {
      headers: { Prefer: 'respond-async' },
    }),
  )

/** Platforms that the caller may prefill: all for account holders, granted ones for guests. */
export function usePrefillAccess(): readonly Platform[] {
  const { data } = useStatus()
  return platforms.filter((platform) => data?.[`${platform}PrefillEnabled`] === true)
}
