import type { Platform } from '../../../../platforms/platforms.ts'
import type { ReadyBoard, ReadyGame, Suggestion } from '../../../../prefill/ready/model.ts'
import { useSignedIn } from '../../../api/account-queries.ts'
import { unwrap, keys } from '../../../api/client.ts'
import { useRead } from '../../../api/queries.ts'
import { ready } from '../../../api/prefill-schedules.ts'
import type { Game } from '../queries.ts'
import { useShelf } from '../shelf/queries.ts'

export type { ReadyBoard, ReadyGame, Suggestion }
type GameKey = Pick<ReadyGame, 'platform' | 'appId'>

/** While something goes on, its figures change. */
const pollMs = { busy: 2000, idle: 30_000 }

const never = () => false

/**
 * The games that are to be ready, whether they will be, and who is signed in to fetch them; all at
 * once, so that nothing moves.
 */
export function useBoard() {
  const isSignedIn = useSignedIn()
  const { data, error } = useRead([...keys.prefill, 'ready'], ready.get, {
    refetchInterval: ({ state }) =>
      state.data?.isChecking === true || state.data?.isWanted === true ? pollMs.busy : pollMs.idle,
  })
  const board = isSignedIn === undefined ? undefined : data
  return { board, error, isSignedIn: isSignedIn ?? never }
}

/** Games of an event, else of the last one, and those that most clients use. */
export const useSuggestions = (event?: number) =>
  useRead(
    [...keys.prefill, 'ready', 'suggestions', event],
    (asking) => ready.suggestions.get({ query: { eventId: event }, ...asking }),
    { staleTime: 60_000 },
  )

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
export const saveOptions = (options: Options) => unwrap(ready.put(options))
export const removeGame = ({ platform, appId }: GameKey) =>
  unwrap(
    ready
      .games({ platform })({ appId: encodeURIComponent(appId) })
      .delete(),
  )
export const checkGames = () => unwrap(ready.check.post())
export const stopMaking = () => unwrap(ready.make.delete())

export const gameKey = ({ platform, appId }: GameKey): string => `${platform} ${appId}`
