import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { WhenAway } from '../away/away.ts'
import type { CacheRouteParts } from '../parts.ts'
import { ErrorBody } from '../../core/http/schema.ts'
import { CacheOperations, ClearingStarted } from './model.ts'
import type { Clearing } from './service.ts'

const response = { 202: ClearingStarted, 400: ErrorBody, 404: ErrorBody, 503: ErrorBody }

export const clearingRoutes = (deps: CacheRouteParts, clearing: Clearing) =>
  routesAt(deps.access, 'Cache and Games', '/api/cache')
    .delete('', async ({ query, status }) => status(202, await clearing.clearAll(query)), {
      access: 'account',
      query: t.Object({ whenAway: WhenAway }),
      response,
      detail: { summary: 'Clear the cache files of every configured datasource' },
    })
    .delete(
      '/datasources/:name',
      async ({ params, status }) => status(202, await clearing.clearOne(params.name)),
      {
        access: 'account',
        params: t.Object({
          name: t.String({ maxLength: 200, description: 'Name of a datasource' }),
        }),
        response,
        detail: { summary: 'Clear the cache files of one datasource' },
      },
    )
    .get('/operations', () => clearing.operations(), {
      access: 'account',
      response: { 200: CacheOperations },
      detail: { summary: 'Cache-clearing operations in progress' },
    })
