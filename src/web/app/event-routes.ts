import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { comparisonSearch, eventsSearch } from '../pages/events/search.ts'
import { rootRoute } from './root-route.ts'

const getParentRoute = () => rootRoute

const events = createRoute({
  getParentRoute,
  path: '/events',
  validateSearch: eventsSearch,
  component: lazyRouteComponent(() => import('../pages/events/page.tsx'), 'EventsPage'),
})

const comparison = createRoute({
  getParentRoute,
  path: '/events/compare',
  validateSearch: comparisonSearch,
  component: lazyRouteComponent(() => import('../pages/events/compare.tsx'), 'ComparisonPage'),
})

const event = createRoute({
  getParentRoute,
  path: '/events/$id',
  component: lazyRouteComponent(() => import('../pages/events/detail.tsx'), 'EventPage'),
})

/** Every page under `/events`, each a chunk of its own. */
export const eventRoutes = [events, comparison, event] as const
