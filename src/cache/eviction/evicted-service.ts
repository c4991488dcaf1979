import type { CacheParts } from '../parts.ts'
import { awayFacts, reachOf, type WhenAway } from '../away/away.ts'
import type { Later } from '../away/later.ts'
import type { Eviction } from './eviction.ts'
import type { EvictedScope } from '../../../db/state/schema/removals.ts'
import { AppError } from '../../core/http/errors.ts'
import { nameText } from '../../core/http/name-text.ts'
import { named } from '../../core/operations/names.ts'
import type { EvictedRemovalStarted } from './evicted-model.ts'

/** Log lines of evicted titles are removed unless the caller opts out. */
interface Options {
  purgeLogs?: boolean | undefined
  whenAway?: WhenAway | undefined
}

/** Parses a scope and its key; throws `invalid` with the reason. */
export function scopeOf(scope: string, key: string | undefined): EvictedScope {
  const kind = scope.toLowerCase()
  if (kind === 'named') {
    throw new AppError(
      'invalid',
      'Named games are removed with DELETE /api/cache/evicted/named/{service}/{gameName}',
    )
  }
  if (kind !== 'alpha' && kind !== 'beta' && kind !== 'service') {
    throw new AppError('invalid', 'Unknown scope; allowed: alpha, beta, service')
  }
  const text = nameText(key, 'key')
  if (kind === 'beta') return { kind, betaAppId: text }
  if (kind === 'service') return { kind, service: text.toLowerCase() }
  const appId = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(appId) || appId < 1) {
    throw new AppError('invalid', 'The key for scope alpha must be a positive whole number')
  }
  return { kind, appId }
}

/** Removes the records of evicted downloads; cache files are not touched. */
export function createEvictedRemovals(
  { datasources, nodeHosts, later }: CacheParts & { later: Later },
  eviction: Eviction,
) {
  /** The history is here: without log lines it does not matter which nodes are away. */
  const check = async ({ purgeLogs = true, whenAway = 'refuse' }: Options) => {
    await eviction.checkSchemes()
    if (!purgeLogs) return { purgesLogs: false, whenAway: null }
    const { has } = reachOf(nodeHosts, whenAway)
    if (whenAway === 'later') later.requireCapacity()
    await datasources.requireWritable({ cache: true, logs: true, has })
    return { purgesLogs: true, whenAway }
  }

  return {
    total: async () => ({
      downloads: await eviction.count({ kind: 'bulk' }),
      ...awayFacts({ nodeHosts }),
    }),

    async all(options: Options): Promise<EvictedRemovalStarted> {
      const queued = eviction.removeAll(await check(options))
      return { ...queued, scope: 'bulk', key: null, service: null, gameName: null }
    },

    async scoped(scope: string, query: Options & { key?: string | undefined }) {
      const requested = scopeOf(scope, query.key)
      const how = await check(query)
      const key = query.key?.trim() ?? ''
      const queued = eviction.remove({
        scope: requested,
        operationScope: `${requested.kind}:${requested.kind === 'service' ? key.toLowerCase() : key}`,
        name: named('evictedRemoval', { kind: requested.kind, key }),
        subject: key,
        ...how,
      })
      return { ...queued, scope: requested.kind, key, service: null, gameName: null }
    },

    async named(params: { service: string; gameName: string }, options: Options) {
      const service = nameText(params.service, 'service').toLowerCase()
      const gameName = nameText(params.gameName, 'gameName')
      const how = await check(options)
      const queued = eviction.remove({
        scope: { kind: 'named', service, gameName },
        operationScope: `named:${service}:${gameName}`,
        name: named('evictedRemovalNamed', { game: gameName }),
        subject: gameName,
        ...how,
      })
      return { ...queued, scope: 'named', key: null, service, gameName }
    },
  }
}
