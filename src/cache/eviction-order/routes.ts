import { routesAt } from '../../core/http/access.ts'
import { ErrorBody } from '../../core/http/schema.ts'
import type { CacheRouteParts } from '../parts.ts'
import type { Snapshots } from '../snapshots/service.ts'
import { EvictionOrder } from './model.ts'
import { createEvictionOrder } from './service.ts'

export const evictionOrderRoutes = (deps: CacheRouteParts, snapshots: Snapshots) => {
  const order = createEvictionOrder(deps, snapshots)
  return routesAt(deps.access, 'Cache and Games').get(
    '/api/ext/cache/eviction/next',
    () => order.read(),
    {
      access: 'account',
      response: { 200: EvictionOrder, 503: ErrorBody },
      detail: { summary: 'Games whose files the proxy evicts next' },
    },
  )
}
