import { Elysia } from 'elysia'
import type { CacheRouteParts } from '../parts.ts'
import { awayFacts } from '../away/away.ts'
import { CacheInfo, DatasourceFactsList } from './model.ts'
import { cacheInfo, datasourceFacts } from './service.ts'

export const infoRoutes = (deps: CacheRouteParts) =>
  new Elysia({ name: 'cache/info', tags: ['Cache and Games'] })
    .use(deps.access)
    .get('/api/cache', async () => ({ ...(await cacheInfo(deps)), ...awayFacts(deps) }), {
      access: 'account',
      response: { 200: CacheInfo },
      detail: { summary: "The cache's disk, limit and scan results" },
    })
    .get('/api/ext/datasources', () => datasourceFacts(deps), {
      access: 'account',
      response: { 200: DatasourceFactsList },
      detail: { summary: 'Layout, keys, slices, permissions and disk of each datasource' },
    })
