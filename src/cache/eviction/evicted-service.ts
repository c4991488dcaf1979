import type { CacheParts } from '../parts.ts'
import type { Eviction } from './eviction.ts'
import type { EvictedScope } from './removal-store.ts'
import { AppError } from '../../core/http/errors.ts'
import { nameText } from '../../core/http/name-text.ts'
import { named } from '../../core/operations/names.ts'
import type { EvictedRemovalStarted } from './evicted-model.ts'

/** Log lines of evicted titles are removed unless the caller opts out. */
interface Options {
  purgeLogs?: boolean | undefined
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
export function createEvictedRemovals({ datasources }: CacheParts, eviction: Eviction) {
  const check = async (purgesLogs: boolean) => {
    await eviction.checkSchemes()
    if (purgesLogs) await datasources.requireWritable({ cache: true, logs: true })
  }

  return {
    total: async () => ({ downloads: await eviction.count({ kind: 'bulk' }) }),

    async all({ purgeLogs = true }: Options): Promise<EvictedRemovalStarted> {
      await check(purgeLogs)
      const queued = eviction.removeAll(purgeLogs)
      return { ...queued, scope: 'bulk', key: null, service: null, gameName: null }
    },

    async scoped(scope: string, query: Options & { key?: string | undefined }) {
      const requested = scopeOf(scope, query.key)
      const purgesLogs = query.purgeLogs ?? true
      await check(purgesLogs)
      const key = query.key?.trim() ?? ''
      const queued = eviction.remove({
        scope: requested,
        operationScope: `${requested.kind}:${requested.kind === 'service' ? key.toLowerCase() : key}`,
        name: named('evictedRemoval', { kind: requested.kind, key }),
        purgesLogs,
      })
      return { ...queued, scope: requested.kind, key, service: null, gameName: null }
    },

    async named(params: { service: string; gameName: string }, { purgeLogs = true }: Options) {
      const service = nameText(params.service, 'service').toLowerCase()
      const gameName = nameText(params.gameName, 'gameName')
      await check(purgeLogs)
      const queued = eviction.remove({
        scope: { kind: 'named', service, gameName },
        operationScope: `named:${service}:${gameName}`,
        name: named('evictedRemovalNamed', { game: gameName }),
        purgesLogs: purgeLogs,
      })
      return { ...queued, scope: 'named', key: null, service, gameName }
    },
  }
}
