import { Elysia } from 'elysia'
import type { RouteDeps } from '../../deps.ts'
import type { Shared } from '../shared.ts'
import { evictedRoutes } from './evicted/routes.ts'
import { createGameNames } from './games/names.ts'
import { gameNameRoutes, gameRoutes } from './games/routes.ts'
import { createGames } from './games/service.ts'
import { infoRoutes } from './info/routes.ts'

export function cacheGroup(deps: RouteDeps, { detection, eviction }: Shared) {
  const games = createGames(deps, detection)
  return new Elysia({ name: 'cache' })
    .use(infoRoutes(deps))
    .use(evictedRoutes(deps, eviction))
    .use(gameRoutes(deps, games))
    .use(gameNameRoutes(deps, createGameNames(deps, detection)))
}
