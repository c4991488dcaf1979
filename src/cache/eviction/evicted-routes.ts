import { Elysia, t } from 'elysia'
import type { CacheRouteParts } from '../parts.ts'
import type { Eviction } from './eviction.ts'
import { ErrorBody, QueryFlag } from '../../core/http/schema.ts'
import { EvictedRemovalStarted } from './evicted-model.ts'
import { createEvictedRemovals } from './evicted-service.ts'

const response = { 202: EvictedRemovalStarted, 400: ErrorBody, 503: ErrorBody }

export const evictedRoutes = (deps: CacheRouteParts, eviction: Eviction) => {
  const service = createEvictedRemovals(deps, eviction)
  return new Elysia({
    name: 'cache/evicted',
    prefix: '/api/cache/evicted',
    tags: ['Cache and Games'],
  })
    .use(deps.access)
    .delete('', async ({ query, status }) => status(202, await service.all(query)), {
      access: 'account',
      query: t.Object({ purgeLogs: QueryFlag }),
      response,
      detail: { summary: 'Remove all evicted downloads in one batched operation' },
    })
    .delete(
      '/:scope',
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
        }),
        response,
        detail: { summary: 'Remove the evicted downloads and log entries of one entity' },
      },
    )
    .delete(
      '/named/:service/:gameName',
      async ({ params, query, status }) => status(202, await service.named(params, query)),
      {
        access: 'account',
        params: t.Object({
          service: t.String({ maxLength: 200 }),
          gameName: t.String({ maxLength: 300 }),
        }),
        query: t.Object({ purgeLogs: QueryFlag }),
        response,
        detail: { summary: 'Remove the evicted data of one named game of a name-keyed service' },
      },
    )
}
