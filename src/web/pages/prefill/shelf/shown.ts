import { platformFacts } from '../../../../platforms/platforms.ts'
import { isOfSize, type ShelfItem } from '../../../components/shelf/items.ts'
import type { Tone } from '../../../components/figures.tsx'
import { t, type Key } from '../../../locales/translate.ts'
import { gameRef } from '../../../format/game-ref.ts'
import { gameKey, type ShelfGame, type ShelfPlan, type ShelfRun } from './queries.ts'
import type { ShelfSearch } from './search.ts'

export type Fetched = ShelfRun['games'][number]
type Planned = ShelfPlan['games'][number]

/** What is known of the games beside the shelf itself, by key. */
export interface Known {
  chosen: ReadonlySet<string>
  run: ReadonlyMap<string, Fetched>
  plan: ReadonlyMap<string, Planned>
}

const states: Readonly<Record<ShelfGame['state'], readonly [tone: Tone, label: Key] | null>> = {
  cached: ['good', 'shelf.cached'],
  newBuild: ['attention', 'shelf.newBuild'],
  unavailable: ['bad', 'ready.stateUnavailable'],
  missing: null,
  unknown: null,
}
const runStates: Readonly<Record<Fetched['state'], readonly [tone: Tone, label: Key]>> = {
  queued: ['quiet', 'shelf.queued'],
  fetching: ['good', 'ready.stateFetching'],
  done: ['good', 'shelf.cached'],
  failed: ['bad', 'prefill.gameFailed'],
}

const sizeOf = (game: ShelfGame, { plan }: Known): number | null =>
  plan.get(gameKey(game))?.totalBytes ?? game.totalBytes ?? (game.onDiskBytes || null)

/** The games that the search wants, in its order. */
export function shownGames(
  games: readonly ShelfGame[],
  { search = '', platform, show, size, sort = 'name' }: ShelfSearch,
  known: Known,
): ShelfGame[] {
  const text = search.trim().toLowerCase()
  const isShown = (game: ShelfGame): boolean => {
    if (platform !== undefined && game.platform !== platform) return false
    if (text !== '' && !game.name.toLowerCase().includes(text) && game.appId !== text) return false
    if (!isOfSize(size === undefined ? null : sizeOf(game, known), size)) return false
    if (show === undefined) return true
    if (show === 'chosen') return known.chosen.has(gameKey(game))
    if (show === 'failed') return known.run.get(gameKey(game))?.state === 'failed'
    if (show === 'cached') return game.state === 'cached' || game.state === 'newBuild'
    return game.state === show
  }
  const shown = games.filter(isShown)
  if (sort === 'name') return shown
  return shown.toSorted((a, b) => (sizeOf(b, known) ?? -1) - (sizeOf(a, known) ?? -1))
}

/** A game as the shelf draws it. */
export function itemOf(game: ShelfGame, known: Known): ShelfItem {
  const { platform, name } = game
  const fetched = known.run.get(gameKey(game))
  const badge = fetched === undefined ? states[game.state] : runStates[fetched.state]
  const percent =
    fetched?.state === 'fetching' && fetched.totalBytes > 0
      ? Math.min(100, (100 * fetched.bytes) / fetched.totalBytes)
      : null
  return {
    key: gameKey(game),
    name,
    service: platformFacts[platform].services[0],
    image: gameRef(game),
    badge: badge && { tone: badge[0], label: t(badge[1]) },
    note: platformFacts[platform].title,
    bytes: sizeOf(game, known),
    isOff: game.state === 'unavailable',
    percent: fetched?.state === 'fetching' ? (percent ?? 0) : null,
  }
}
