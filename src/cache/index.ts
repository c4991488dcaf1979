import { Elysia } from 'elysia'
import type { RouteDeps } from '../deps.ts'
import type { Shared } from '../group-parts.ts'
import { clearingRoutes } from './clearing/routes.ts'
import { createClearing } from './clearing/service.ts'
import { corruptionRemovalRoutes, corruptionRoutes } from './corruption/routes.ts'
import { createCorruptionService } from './corruption/service.ts'
import { doctorRoutes } from './doctor/routes.ts'
import { evictedRoutes } from './eviction/evicted-routes.ts'
import { createGameNames } from './games/names.ts'
import { gameNameRoutes, gameRoutes } from './games/routes.ts'
import { infoRoutes } from './info/routes.ts'
import { createPending } from './removals/pending.ts'
import { removalRoutes } from './removals/routes.ts'
import { createRemovals } from './removals/service.ts'
import { retentionRoutes } from './retention/routes.ts'
import { createRetentionService } from './retention/service.ts'
import { sizeRoutes } from './size/routes.ts'

export function cacheGroup(deps: RouteDeps, { detection, eviction, games }: Shared) {
  const corruption = createCorruptionService(deps)
  const pending = createPending(deps, eviction)
  const removals = createRemovals(deps, pending)
  return new Elysia({ name: 'cache' })
    .use(infoRoutes(deps))
    .use(sizeRoutes(deps))
    .use(corruptionRoutes(deps, corruption))
    .use(corruptionRemovalRoutes(deps, corruption))
    .use(doctorRoutes(deps))
    .use(evictedRoutes(deps, eviction))
    .use(clearingRoutes(deps, createClearing(deps, pending)))
    .use(removalRoutes(deps, removals))
    .use(retentionRoutes(deps, createRetentionService(deps, removals)))
    .use(gameRoutes(deps, games))
    .use(gameNameRoutes(deps, createGameNames(deps, detection)))
}
