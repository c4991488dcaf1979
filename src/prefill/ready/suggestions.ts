import { within } from '../../core/lib/within.ts'
import type { GameDemand, PrefillParts } from '../parts.ts'
import { platforms, type Platform } from '../../platforms/platforms.ts'
import type { SessionService } from '../sessions/service.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Suggestion, Suggestions } from './model.ts'
import { appOf } from './titles.ts'

const suggestedMax = 20
/** A daemon that lists its games more slowly is left out. */
const gamesMs = 5000

interface Features {
  sessions: Sessions
  service: SessionService
}

/** Games that clients have used and that a platform can prefill. */
export async function suggestionsOf(
  { gameFacts }: Pick<PrefillParts, 'gameFacts'>,
  { sessions, service }: Features,
  usedSince: Date,
  eventId?: number,
): Promise<Suggestions> {
  /** Games of a platform's daemon by id, as it listed them last. */
  async function listedBy(platform: Platform): Promise<[Platform, ReadonlyMap<string, string>]> {
    const [session] = sessions.persistentsOf(platform)
    if (session?.games === null) await within(service.games(session), gamesMs, [])
    return [platform, session?.games?.names ?? new Map<string, string>()]
  }

  const [used, lastEvent, lists] = await Promise.all([
    gameFacts.usedSince(usedSince),
    gameFacts.ofEvent(eventId),
    Promise.all(platforms.map(listedBy)),
  ])
  const listed = new Map(lists)
  const suggested = (games: readonly GameDemand[]): Suggestion[] =>
    games
      .flatMap(({ key, name, bytes, clients }) => {
        const app = appOf(key, listed)
        return app === null ? [] : [{ ...app, name, bytes, clients }]
      })
      .slice(0, suggestedMax)
  return {
    lastEvent: lastEvent && { name: lastEvent.name, games: suggested(lastEvent.games) },
    mostUsed: suggested(used),
  }
}
