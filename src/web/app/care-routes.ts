import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { corruptionSearch } from '../pages/corruption/search.ts'
import { doctorSearch } from '../pages/doctor/search.ts'
import { openOf } from '../pages/settings/open-search.ts'
import { rootRoute } from './root-route.ts'

const getParentRoute = () => rootRoute

const corruption = createRoute({
  getParentRoute,
  path: '/cache/corruption',
  validateSearch: corruptionSearch,
  component: lazyRouteComponent(() => import('../pages/corruption/page.tsx'), 'CorruptionPage'),
})

const doctor = createRoute({
  getParentRoute,
  path: '/cache/doctor',
  validateSearch: doctorSearch,
  component: lazyRouteComponent(() => import('../pages/doctor/page.tsx'), 'DoctorPage'),
})

const retention = createRoute({
  getParentRoute,
  path: '/cache/retention',
  validateSearch: openOf,
  component: lazyRouteComponent(() => import('../pages/retention/page.tsx'), 'RetentionPage'),
})

/** Pages that keep a cache sound, each a chunk of its own. */
export const careRoutes = [corruption, doctor, retention] as const
