import { useQuery } from '@tanstack/react-query'
import type { Games } from '../../../../prefill/persistent/model.ts'
import type { Platform } from '../../../../platforms/platforms.ts'
import type {
  ReadyBoard,
  ReadyGame,
  Suggestion,
  Suggestions,
} from '../../../../prefill/ready/model.ts'
import { ask } from '../../../api/ask.ts'
import { keys } from '../../../api/keys.ts'
import type { Game } from '../queries.ts'

export type { ReadyBoard, ReadyGame, Suggestion }
type GameKey = Pick<ReadyGame, 'platform' | 'appId'>
export type NewGame = Pick<ReadyGame, 'platform' | 'appId' | 'name'>

const ready = '/api/ext/prefill/ready'
/** While something goes on, its figures change. */
const pollMs = { busy: 2000, idle: 30_000 }

/** The games that are to be ready, and whether they will be. */
export const useBoard = () =>
  useQuery({
    queryKey: [...keys.prefill, 'ready'],
    queryFn: () => ask<ReadyBoard>('GET', ready),
    refetchInterval: ({ state: { data } }) =>
      data?.isChecking === true || data?.isWanted === true ? pollMs.busy : pollMs.idle,
  })

/** Games of an event, else of the last one, and those that most clients use. */
export const useSuggestions = (event?: number) =>
  useQuery({
    queryKey: [...keys.prefill, 'ready', 'suggestions', event],
    queryFn: () =>
      ask<Suggestions>(
        'GET',
        `${ready}/suggestions${event === undefined ? '' : `?eventId=${event}`}`,
      ),
    staleTime: 60_000,
  })

/** The games of a platform's accounts. */
export const useOffered = (platform: Platform) =>
  useQuery({
    queryKey: [...keys.prefill, 'ready', 'games', platform],
    queryFn: async (): Promise<Game[]> => {
      const path = `/api/system/prefill/persistent/games?service=${platform}`
      const { games } = await ask<Games>('GET', path)
      const listed = games.map(({ appId, name }) => ({ id: String(appId), name }))
      return listed.toSorted((a, b) => a.name.localeCompare(b.name))
    },
    staleTime: 5 * 60_000,
    retry: false,
  })

export type Options = Partial<Pick<ReadyBoard, 'dueAtUtc' | 'hours' | 'fetchesUpdates'>>
export const saveOptions = (options: Options) => ask('PUT', ready, options)
export const addGames = (games: readonly NewGame[]) =>
  ask('POST', `${ready}/games`, {
    games: games.map(({ platform, appId, name }) => ({ platform, appId, name })),
  })
export const removeGame = ({ platform, appId }: GameKey) =>
  ask('DELETE', `${ready}/games/${platform}/${encodeURIComponent(appId)}`)
export const checkGames = () => ask('POST', `${ready}/check`)
export const makeReady = () => ask('POST', `${ready}/make`)
export const stopMaking = () => ask('DELETE', `${ready}/make`)

export const gameKey = ({ platform, appId }: GameKey): string => `${platform} ${appId}`
