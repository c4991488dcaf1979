import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { CacheRouteParts } from '../parts.ts'
import { WhenAway } from '../away/away.ts'
import type { Later } from '../away/later.ts'
import type { Eviction } from './eviction.ts'
import { ErrorBody, QueryFlag } from '../../core/http/schema.ts'
import { EvictedRemovalStarted, EvictedTotal } from './evicted-model.ts'
import { createEvictedRemovals } from './evicted-service.ts'

const response = { 202: EvictedRemovalStarted, 400: ErrorBody, 503: ErrorBody }

export const evictedRoutes = (deps: CacheRouteParts & { later: Later }, eviction: Eviction) => {
  const service = createEvictedRemovals(deps, eviction)
  return routesAt(deps.access, 'Cache and Games')
    .get('/api/ext/cache/evicted', () => service.total(), {
      access: 'account',
      response: { 200: EvictedTotal, 503: ErrorBody },
      detail: { summary: 'How many evicted downloads a removal of all would delete' },
    })
    .delete(
      '/api/cache/evicted',
      async ({ query, status }) => status(202, await service.all(query)),
      {
        access: 'account',
        query: t.Object({ purgeLogs: QueryFlag, whenAway: WhenAway }),
        response,
        detail: { summary: 'Remove all evicted downloads in one batched operation' },
      },
    )
    .delete(
      '/api/cache/evicted/:scope',
      async ({ params, query, status }) => status(202, await service.scoped(params.scope, query)),
      {
        access: 'account',
        params: t.Object({
          scope: t.String({ maxLength: 100, description: '`alpha`, `beta` or `service`' }),
        }),
        query: t.Object({
          key: t.Optional(
            t.String({ maxLength: 300, description: 'App id, or name of the service' }),
          ),
          purgeLogs: QueryFlag,
          whenAway: WhenAway,
        }),
        response,
        detail: { summary: 'Remove the evicted downloads and log entries of one entity' },
      },
    )
    .delete(
      '/api/cache/evicted/named/:service/:gameName',
      async ({ params, query, status }) => status(202, await service.named(params, query)),
      {
        access: 'account',
        params: t.Object({
          service: t.String({ maxLength: 200 }),
          gameName: t.String({ maxLength: 300 }),
        }),
        query: t.Object({ purgeLogs: QueryFlag, whenAway: WhenAway }),
        response,
        detail: { summary: 'Remove the evicted data of one named game of a name-keyed service' },
      },
    )
}
