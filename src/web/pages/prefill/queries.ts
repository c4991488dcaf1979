import { keys } from '../../api/keys.ts'
import { ask, request } from '../../api/ask.ts'
import { useQuery } from '@tanstack/react-query'
import type { PlatformState, PlatformStates } from '../../../prefill/overview/model.ts'
import type { Platform } from '../../../platforms/platforms.ts'
import type { StartPrefillBody } from '../../../prefill/sessions/model.ts'
import type { OwnedGame, PrefillCacheStatus } from './wire.ts'

export type { PlatformState }

const pollMs = 30_000

/** How each platform is run, and whether that works now. */
export const usePlatforms = () =>
  useQuery({
    queryKey: [...keys.prefill, 'platforms'],
    queryFn: () => ask<PlatformStates>('GET', '/api/ext/prefill/platforms'),
    refetchInterval: pollMs,
  })

const base = (platform: Platform, sessionId: string) =>
  `/api/${platform}-daemon/sessions/${sessionId}`

/** A game with its id as text, which is how it is selected. */
export interface Game {
  id: string
  name: string
}

/** The games that the signed-in account owns, or that the platform offers. */
export const useLibrary = (platform: Platform, sessionId: string, isReady: boolean) =>
  useQuery({
    queryKey: [...keys.prefill, 'games', platform, sessionId],
    queryFn: async (): Promise<Game[]> => {
      const games = await ask<OwnedGame[]>('GET', `${base(platform, sessionId)}/games`)
      const listed = games.map(({ appId, name }) => ({ id: String(appId), name }))
      return listed.toSorted((a, b) => a.name.localeCompare(b.name))
    },
    enabled: isReady,
    staleTime: 5 * 60_000,
  })

export const selectApps = (platform: Platform, sessionId: string, appIds: readonly string[]) =>
  ask('POST', `${base(platform, sessionId)}/selected-apps`, { appIds })

export const readCacheStatus = (platform: Platform, sessionId: string, appIds: readonly string[]) =>
  ask<PrefillCacheStatus>('POST', `${base(platform, sessionId)}/cache-status`, { appIds })

/** Resolves when the run is started or queued; events report its end. */
export const startRun = (platform: Platform, sessionId: string, options: StartPrefillBody) =>
  request('POST', `${base(platform, sessionId)}/prefill`, {
    body: JSON.stringify(options),
    headers: { Prefer: 'respond-async' },
  })
