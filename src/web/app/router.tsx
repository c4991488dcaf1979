import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { OverviewPage } from '../pages/overview/page.tsx'
import { clientsSearch } from '../pages/clients/search.ts'
import { rangeSearch, type RangeSearch } from './range.ts'
import { rootRoute as root } from './root-route.ts'
import { Broken } from './broken.tsx'
import { downloadsSearch, gamesSearch, parseAddress, writeAddress } from './search-state.ts'
import { cacheRoutes } from './cache-routes.ts'
import { careRoutes } from './care-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { settingsRoutes } from './settings-routes.ts'

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: rangeSearch,
  component: OverviewPage,
})

const downloads = createRoute({
  getParentRoute: () => root,
  path: '/downloads',
  validateSearch: downloadsSearch,
  component: lazyRouteComponent(() => import('../pages/downloads/page.tsx'), 'DownloadsPage'),
})

const idsMax = 200

/** The other sessions of a grouped row, so that one can step through them. */
const detailSearch = (
  search: Record<string, unknown>,
): RangeSearch & { of?: string | undefined } => {
  const ids = typeof search['of'] === 'string' ? search['of'].split(',') : []
  const valid = ids.filter((id) => /^\d{1,15}$/.test(id)).slice(0, idsMax)
  return { ...rangeSearch(search), ...(valid.length > 1 ? { of: valid.join(',') } : {}) }
}

const download = createRoute({
  getParentRoute: () => root,
  path: '/downloads/$id',
  validateSearch: detailSearch,
  component: lazyRouteComponent(() => import('../pages/downloads/detail.tsx'), 'DownloadPage'),
})

const games = createRoute({
  getParentRoute: () => root,
  path: '/games',
  validateSearch: gamesSearch,
  component: lazyRouteComponent(() => import('../pages/games/page.tsx'), 'GamesPage'),
})

const game = createRoute({
  getParentRoute: () => root,
  path: '/games/$service/$id',
  validateSearch: downloadsSearch,
  component: lazyRouteComponent(() => import('../pages/games/detail.tsx'), 'GamePage'),
})

const service = createRoute({
  getParentRoute: () => root,
  path: '/services/$service',
  validateSearch: downloadsSearch,
  component: lazyRouteComponent(() => import('../pages/services/detail.tsx'), 'ServicePage'),
})

const operation = createRoute({
  getParentRoute: () => root,
  path: '/operations/$id',
  component: lazyRouteComponent(() => import('../pages/operations/detail.tsx'), 'OperationPage'),
})

const clients = createRoute({
  getParentRoute: () => root,
  path: '/clients',
  validateSearch: clientsSearch,
  component: lazyRouteComponent(() => import('../pages/clients/page.tsx'), 'ClientsPage'),
})

const client = createRoute({
  getParentRoute: () => root,
  path: '/clients/$ip',
  validateSearch: downloadsSearch,
  component: lazyRouteComponent(() => import('../pages/clients/detail.tsx'), 'ClientPage'),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../pages/access/sign-in.tsx'), 'SignInPage'),
})

const recover = createRoute({
  getParentRoute: () => root,
  path: '/recover',
  component: lazyRouteComponent(() => import('../pages/access/recover.tsx'), 'RecoverPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    downloads,
    download,
    games,
    game,
    service,
    operation,
    clients,
    client,
    signIn,
    recover,
    ...cacheRoutes,
    ...careRoutes,
    ...eventRoutes,
    ...settingsRoutes,
  ]),
  parseSearch: parseAddress,
  stringifySearch: writeAddress,
  defaultPreload: 'intent',
  defaultErrorComponent: Broken,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface HistoryState {
    /** Whose password was just recovered; fills the sign-in form. */
    recoveredName?: string
  }
}
