import { HistoryUnavailable, type History } from '../../../db/history/history.ts'
import type { RemovalTarget } from '../../../db/state/schema/removals.ts'
import { unavailable } from '../../core/http/errors.ts'
import type { CacheParts } from '../parts.ts'
import { readDetected } from '../detection/read.ts'
import type { CacheContent } from '../../engines/cache/contract.ts'
import { type GameIdentity, knownOwners, type OwnersOf } from '../../catalogue/contract.ts'
import { sharedDepots, type SharedDepot } from './shared-depots.ts'

/** What a target currently consists of. */
export interface TargetParts {
  gameName: string
  betaAppId: string | null
  contents: CacheContent[]
  titleKeys: string[]
  depotIds: number[]
  /** Depots of the game that stay because others use them; the members above exclude them. */
  shared: SharedDepot[]
}

const nothing = { betaAppId: null, contents: [], titleKeys: [], depotIds: [], shared: [] }

/**
 * A target's contents in the index. Alpha and beta games need the history: throws `unavailable`
 * while it is away, because a depot alone may belong to another game.
 */
export async function partsOf(
  deps: CacheParts,
  target: RemovalTarget,
  ownersOf: OwnersOf = knownOwners,
): Promise<TargetParts> {
  if (target.kind === 'service') {
    const all = await deps.cache.contents()
    const contents = all.filter(({ service }) => service.toLowerCase() === target.service)
    return { ...nothing, gameName: target.service, contents }
  }
  const { games, isAway } = await detected(deps)
  const matching = games.filter(({ identity }) => isTarget(identity, target))
  const [found] = matching
  // Only a name in the key itself is certain; anything else may belong to another game.
  if (isAway && (target.kind !== 'named' || found === undefined)) {
    throw unavailable('The game cannot be identified while the history database is unavailable')
  }
  const fallback = target.kind === 'alpha' ? `Game ${target.appId}` : target.gameName
  if (found === undefined || found.identity.kind === 'service') {
    return { ...nothing, gameName: fallback }
  }
  const { identity } = found
  const depotIds = matching.flatMap((game) => game.depotIds)
  const shared =
    target.kind === 'alpha'
      ? await sharedDepots(deps, { appId: target.appId, depotIds, games, ownersOf })
      : []
  const stays = new Set(shared.map(({ titleKey }) => titleKey))
  const sharedIds = new Set(shared.map(({ depotId }) => depotId))
  const ids = new Set(matching.flatMap((game) => game.contentIds))
  const contents = await deps.cache.contents()
  return {
    gameName: identity.name,
    betaAppId: identity.kind === 'beta' ? identity.betaAppId : null,
    contents: contents.filter(({ id, titleKey }) => ids.has(id) && !stays.has(titleKey)),
    titleKeys: matching.flatMap((game) => game.titleKeys).filter((key) => !stays.has(key)),
    depotIds: depotIds.filter((id) => !sharedIds.has(id)),
    shared,
  }
}

/**
 * Several Epic Games titles may share a name: they are removed together, as are their downloads.
 */
function isTarget(identity: GameIdentity, target: RemovalTarget): boolean {
  if (target.kind === 'alpha') return identity.kind === 'alpha' && identity.appId === target.appId
  if (target.kind === 'beta') {
    const names = identity.kind === 'beta' ? [identity.name, identity.betaAppId] : []
    return names.includes(target.gameName)
  }
  if (target.kind === 'service' || identity.kind !== 'named') return false
  const isService = identity.service.toLowerCase() === target.service
  return isService && identity.name === target.gameName
}

/** `isAway`: the history did not answer, so games are identified by their keys alone. */
async function detected({ cache, history }: CacheParts) {
  let isAway = false
  const read: History['read'] = async (query) => {
    try {
      return await history.read(query)
    } catch (error) {
      isAway ||= error instanceof HistoryUnavailable
      throw error
    }
  }
  const { games } = await readDetected({ cache, history: { read } }, { hasDetails: false })
  return { games, isAway }
}
