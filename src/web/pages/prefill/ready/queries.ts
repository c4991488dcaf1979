import { useQuery } from '@tanstack/react-query'
import type { Platform } from '../../../../platforms/platforms.ts'
import type {
  ReadyBoard,
  ReadyGame,
  Suggestion,
  Suggestions,
} from '../../../../prefill/ready/model.ts'
import { ask } from '../../../api/ask.ts'
import { keys } from '../../../api/keys.ts'
import { ready } from '../../../api/ready.ts'
import type { Game } from '../queries.ts'
import { useShelf } from '../shelf/queries.ts'

export type { ReadyBoard, ReadyGame, Suggestion }
type GameKey = Pick<ReadyGame, 'platform' | 'appId'>

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

/** The games of all accounts of a platform, each once. */
export function useOffered(platform: Platform) {
  const { data, error } = useShelf()
  const listed = data?.games.filter((game) => game.platform === platform)
  const isListing = data?.platforms.some(
    (one) => one.platform === platform && one.state === 'listing',
  )
  const games = listed?.map(({ appId, name }): Game => ({ id: appId, name }))
  return {
    data: isListing === true ? undefined : games?.toSorted((a, b) => a.name.localeCompare(b.name)),
    error,
  }
}

export type Options = Partial<Pick<ReadyBoard, 'dueAtUtc' | 'hours' | 'fetchesUpdates'>>
export const saveOptions = (options: Options) => ask('PUT', ready, options)
export const removeGame = ({ platform, appId }: GameKey) =>
  ask('DELETE', `${ready}/games/${platform}/${encodeURIComponent(appId)}`)
export const checkGames = () => ask('POST', `${ready}/check`)
export const stopMaking = () => ask('DELETE', `${ready}/make`)

export const gameKey = ({ platform, appId }: GameKey): string => `${platform} ${appId}`
