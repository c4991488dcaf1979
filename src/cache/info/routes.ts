import { routesAt } from '../../core/http/access.ts'
import type { CacheRouteParts } from '../parts.ts'
import { awayFacts } from '../away/away.ts'
import { CacheInfo, DatasourceFactsList } from './model.ts'
import { cacheInfo, datasourceFacts } from './service.ts'

export const infoRoutes = (deps: CacheRouteParts) =>
  routesAt(deps.access, 'Cache and Games')
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
