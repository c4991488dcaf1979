import { unavailable } from '../../../http/errors.ts'
import type { Deps } from '../../../deps.ts'
import { readDetected } from '../../../detection/read.ts'
import type { CacheContent } from '../../../engines/cache/contract.ts'

/** What is to leave the cache. */
export type RemovalTarget =
  | { kind: 'alpha'; appId: number }
  /** By name, or by its id. */
  | { kind: 'beta'; gameName: string }
  | { kind: 'named'; service: string; gameName: string }
  | { kind: 'service'; service: string }

/** What a target is made of right now. */
export interface TargetParts {
  gameName: string
  betaAppId: string | null
  contents: CacheContent[]
  titleKeys: string[]
  depotIds: number[]
}

const nothing = { betaAppId: null, contents: [], titleKeys: [], depotIds: [] }

/**
 * The contents of a target in the index. Games of alpha and beta are only known with the history:
 * throws `unavailable` while it is away, because a depot alone may belong to another game.
 */
export async function partsOf(deps: Deps, target: RemovalTarget): Promise<TargetParts> {
  if (target.kind === 'service') {
    const all = await deps.cache.contents()
    const contents = all.filter(({ service }) => service.toLowerCase() === target.service)
    return { ...nothing, gameName: target.service, contents }
  }
  if (target.kind !== 'named' && deps.history.status().state !== 'ready') {
    throw unavailable('Which game this is cannot be told while the history is away')
  }
  const { games } = await readDetected(deps, { hasDetails: false })
  const found = games.find(({ identity }) => {
    if (target.kind === 'alpha') return identity.kind === 'alpha' && identity.appId === target.appId
    if (target.kind === 'beta') {
      const names = identity.kind === 'beta' ? [identity.name, identity.betaAppId] : []
      return names.includes(target.gameName)
    }
    const isNamed = identity.kind === 'named' && identity.name === target.gameName
    return isNamed && identity.service.toLowerCase() === target.service
  })
  const fallback = target.kind === 'alpha' ? `Game ${target.appId}` : target.gameName
  if (found === undefined || found.identity.kind === 'service') {
    return { ...nothing, gameName: fallback }
  }
  const ids = new Set(found.contentIds)
  const contents = (await deps.cache.contents()).filter(({ id }) => ids.has(id))
  const { identity, titleKeys, depotIds } = found
  const betaAppId = identity.kind === 'beta' ? identity.betaAppId : null
  return { gameName: identity.name, betaAppId, contents, titleKeys, depotIds }
}
