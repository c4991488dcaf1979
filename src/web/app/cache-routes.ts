import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { cacheGamesSearch, cacheSearch } from '../pages/cache/search.ts'
import { rootRoute } from './root-route.ts'

const getParentRoute = () => rootRoute

const cache = createRoute({
  getParentRoute,
  path: '/cache',
  validateSearch: cacheSearch,
  component: lazyRouteComponent(() => import('../pages/cache/page.tsx'), 'CachePage'),
})

const games = createRoute({
  getParentRoute,
  path: '/cache/games',
  validateSearch: cacheGamesSearch,
  component: lazyRouteComponent(() => import('../pages/cache/games/page.tsx'), 'CacheGamesPage'),
})

const unnamed = createRoute({
  getParentRoute,
  path: '/cache/unnamed',
  component: lazyRouteComponent(() => import('../pages/cache/unnamed/page.tsx'), 'UnnamedPage'),
})

const evicted = createRoute({
  getParentRoute,
  path: '/cache/evicted',
  component: lazyRouteComponent(() => import('../pages/cache/evicted/page.tsx'), 'EvictedPage'),
})

/** Every page under `/cache`, each a chunk of its own. */
export const cacheRoutes = [cache, games, unnamed, evicted] as const
