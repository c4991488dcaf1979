import {
  createRoute,
  createRouter,
  lazyRouteComponent,
  type SearchMiddleware,
  createRootRoute,
  type ErrorComponentProps,
} from '@tanstack/react-router'
import { type ComponentType, useEffect, useState } from 'react'
import { cacheGamesSearch, cacheSearch, unnamedSearch } from '../pages/cache/search.ts'
import { clientsSearch } from './clients/search.ts'
import { comparisonSearch, eventSearch, eventsSearch } from './events/search.ts'
import { integritySearch } from '../pages/cache/integrity/search.ts'
import { Page as OverviewPage } from '../pages/overview/page.tsx'
import { readySearch } from '../pages/prefill/ready/search.ts'
import { shelfSearch } from '../pages/prefill/shelf/search.ts'
import { openOf } from '../pages/settings/open-search.ts'
import { sessionsSearch } from '../pages/settings/sessions/search.ts'
import { rangeSearch, type RangeSearch } from './range.ts'
import {
  downloadsSearch,
  gamesSearch,
  parseAddress,
  sessionsMax,
  writeAddress,
} from './search-state.ts'
import { loadTexts, type Part, t } from '../locales/translate.ts'
import { Root } from './root.tsx'
import { Notice } from '../components/card.tsx'
import { Button } from '../components/form-controls.tsx'

/** The sessions of a row, for its page and for stepping through them; `total` when there are more. */
const detailSearch = (
  search: Record<string, unknown>,
): RangeSearch & { of?: string | undefined; total?: number | undefined } => {
  const ids = typeof search['of'] === 'string' ? search['of'].split(',') : []
  const valid = ids.filter((id) => /^\d{1,15}$/.test(id)).slice(0, sessionsMax)
  if (valid.length < 2) return rangeSearch(search)
  const total = Number(search['total'])
  const isCut = Number.isSafeInteger(total) && total > valid.length
  return { ...rangeSearch(search), of: valid.join(','), ...(isCut ? { total } : {}) }
}

/** Pages whose texts are not loaded with the first screen. */
const textsOf: readonly (readonly [pages: RegExp, part: Part])[] = [
  // Jobs and refusals: needed everywhere but on the first screen, which starts none.
  [/^\/./, 'work'],
  [/^\/(settings|recover|prefill)/, 'settings'],
  [/^\/(settings|sign-in)/, 'access'],
  [/^\/(settings|prefill|cache)/, 'controls'],
  [/^\/(settings\/)?clients/, 'clients'],
  [/^\/cache/, 'cache'],
  [/^\/cache/, 'corruption'],
  [/^\/settings\/(logs|datasources|database)/, 'logs'],
  [/^\/settings\/(logs|datasources|backup|database)/, 'cache'],
  [/^\/settings\/(metrics|notifications|widgets|log)$/, 'monitoring'],
  [/^\/events/, 'events'],
  [/^\/(prefill|settings\/(platform-accounts|schedules))/, 'prefill'],
  [/^\/(cache|events|downloads|games|clients|services|prefill)/, 'reports'],
]

const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: lazyRouteComponent(() => import('./not-found.tsx'), 'NotFound'),
  beforeLoad: async ({ location }) => {
    const parts = textsOf.filter(([pages]) => pages.test(location.pathname))
    await Promise.all(parts.map(([, part]) => loadTexts(part)))
  },
})

const getParentRoute = () => rootRoute
type Load = () => Promise<{ Page: ComponentType }>

/** A page as its own chunk; every page's file exports `Page`. */
const page = <const Path extends string>(path: Path, load: Load) =>
  createRoute({ getParentRoute, path, component: lazyRouteComponent(load, 'Page') })

/** Pages with a range and event filter, which navigation between them keeps. */
const ranged = /^\/(downloads|games|clients|services)?(\/|$)/
/** That of the last such page, for links on others, such as the settings. */
let scope: RangeSearch = {}

function keepScope<Search extends RangeSearch>({
  search,
  next,
}: Parameters<SearchMiddleware<Search>>[0]): Search {
  const current: RangeSearch = search
  if (ranged.test(router.latestLocation.pathname)) scope = rangeSearch({ ...current })
  const wanted = next(search)
  const isExplicit = ['range', 'start', 'end', 'event'].some((name) => name in wanted)
  return isExplicit ? wanted : { ...scope, ...wanted }
}

/** A page whose state is part of the URL. */
const searchPage = <const Path extends string, Search>(
  path: Path,
  validateSearch: (search: Record<string, unknown>) => Search,
  load: Load,
) =>
  createRoute({ getParentRoute, path, validateSearch, component: lazyRouteComponent(load, 'Page') })

/** One with a range. */
const rangedPage = <const Path extends string, Search extends RangeSearch>(
  path: Path,
  validateSearch: (search: Record<string, unknown>) => Search,
  load: Load,
) =>
  createRoute({
    getParentRoute,
    path,
    validateSearch,
    search: { middlewares: [keepScope] },
    component: lazyRouteComponent(load, 'Page'),
  })

const overview = createRoute({
  getParentRoute,
  path: '/',
  validateSearch: rangeSearch,
  search: { middlewares: [keepScope] },
  component: OverviewPage,
})

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    overview,
    rangedPage('/downloads', downloadsSearch, () => import('../pages/downloads/page.tsx')),
    rangedPage(
      '/downloads/sessions',
      detailSearch,
      () => import('../pages/downloads/sessions.tsx'),
    ),
    rangedPage('/downloads/$id', detailSearch, () => import('../pages/downloads/detail.tsx')),
    rangedPage('/games', gamesSearch, () => import('../pages/games/page.tsx')),
    rangedPage('/games/$service/$id', downloadsSearch, () => import('../pages/games/detail.tsx')),
    rangedPage('/services/$service', downloadsSearch, () => import('../pages/services/detail.tsx')),
    page('/operations', () => import('../pages/operations/page.tsx')),
    page('/operations/$id', () => import('../pages/operations/detail.tsx')),
    rangedPage('/clients', clientsSearch, () => import('../pages/clients/page.tsx')),
    rangedPage('/clients/$ip', downloadsSearch, () => import('../pages/clients/detail.tsx')),
    page('/sign-in', () => import('../pages/access/sign-in.tsx')),
    page('/recover', () => import('../pages/access/recover.tsx')),
    searchPage('/cache', cacheSearch, () => import('../pages/cache/page.tsx')),
    searchPage('/cache/games', cacheGamesSearch, () => import('../pages/cache/games/page.tsx')),
    searchPage('/cache/unnamed', unnamedSearch, () => import('../pages/cache/unnamed/page.tsx')),
    page('/cache/evicted', () => import('../pages/cache/evicted/page.tsx')),
    searchPage(
      '/cache/integrity',
      integritySearch,
      () => import('../pages/cache/integrity/page.tsx'),
    ),
    searchPage('/cache/retention', openOf, () => import('../pages/cache/retention/page.tsx')),
    searchPage('/events', eventsSearch, () => import('../pages/events/page.tsx')),
    searchPage('/events/compare', comparisonSearch, () => import('../pages/events/compare.tsx')),
    searchPage('/events/$id', eventSearch, () => import('../pages/events/detail.tsx')),
    searchPage('/prefill', shelfSearch, () => import('../pages/prefill/shelf/page.tsx')),
    page('/prefill/platforms', () => import('../pages/prefill/platforms.tsx')),
    searchPage('/prefill/ready', readySearch, () => import('../pages/prefill/ready/page.tsx')),
    page('/prefill/schedules', () => import('../pages/prefill/schedules/page.tsx')),
    page('/prefill/sessions', () => import('../pages/prefill/admin/page.tsx')),
    page('/prefill/$platform', () => import('../pages/prefill/session/page.tsx')),
    page('/settings', () => import('../pages/settings/index-page.tsx')),
    page('/settings/preferences', () => import('../pages/settings/preferences/page.tsx')),
    page('/settings/themes', () => import('../pages/settings/themes/page.tsx')),
    page('/settings/password', () => import('../pages/settings/password-page.tsx')),
    searchPage('/settings/accounts', openOf, () => import('../pages/settings/accounts/page.tsx')),
    searchPage(
      '/settings/sessions',
      sessionsSearch,
      () => import('../pages/settings/sessions/page.tsx'),
    ),
    page('/settings/guests', () => import('../pages/settings/guests/page.tsx')),
    page(
      '/settings/platform-accounts',
      () => import('../pages/settings/platform-accounts/page.tsx'),
    ),
    page('/settings/keys', () => import('../pages/settings/keys/page.tsx')),
    page('/settings/sign-in', () => import('../pages/settings/sign-in/page.tsx')),
    page('/settings/audit', () => import('../pages/settings/audit/page.tsx')),
    searchPage('/settings/clients', openOf, () => import('../pages/settings/clients/page.tsx')),
    page('/settings/logs', () => import('../pages/settings/logs/page.tsx')),
    page('/settings/datasources', () => import('../pages/settings/datasources/page.tsx')),
    page('/settings/nodes', () => import('../pages/settings/nodes/page.tsx')),
    page('/settings/integrations', () => import('../pages/settings/integrations/page.tsx')),
    page('/settings/metrics', () => import('../pages/settings/metrics/page.tsx')),
    searchPage(
      '/settings/notifications',
      openOf,
      () => import('../pages/settings/notifications/page.tsx'),
    ),
    page('/settings/widgets', () => import('../pages/settings/widgets/page.tsx')),
    page('/settings/log', () => import('../pages/settings/log/page.tsx')),
    page('/settings/backup', () => import('../pages/settings/backup/page.tsx')),
    page('/settings/database', () => import('../pages/settings/database/page.tsx')),
    page('/settings/version', () => import('../pages/settings/version/page.tsx')),
    page('/settings/schedules', () => import('../pages/settings/schedules/page.tsx')),
    page('/settings/status-check', () => import('../pages/settings/status-check/page.tsx')),
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
    /** User name after recovery; prefills the sign-in form. */
    recoveredName?: string
  }
}

const checkEveryMs = 3000

/** Whether the service has the dashboard of this tab, that of another version, or does not answer. */
async function readDashboard(): Promise<'same' | 'outdated' | 'away'> {
  const script = document.querySelector('script[type="module"]')?.getAttribute('src') ?? ''
  try {
    const current = await fetch('/')
    if (!current.ok) return 'away'
    return (await current.text()).includes(script) ? 'same' : 'outdated'
  } catch {
    return 'away'
  }
}

/**
 * Shown when a page throws. A tab that was opened before an update asks for files that the service
 * no longer has; it is reloaded, as is one whose files were asked for while the service was away.
 */
function Broken({ error }: ErrorComponentProps) {
  const [isAway, setAway] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const check = async (wasAway: boolean) => {
      const state = await readDashboard()
      if (state === 'outdated' || (state === 'same' && wasAway)) return location.reload()
      setAway(state === 'away')
      if (state === 'away') timer = setTimeout(() => void check(true), checkEveryMs)
    }
    void check(false)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="card m-4">
      <Notice
        tone="bad"
        title={t(isAway ? 'trouble.unreachable' : 'broken.title')}
        className="py-16"
      >
        {isAway ? (
          t('trouble.unreachableText')
        ) : (
          <>
            <p className="mb-3">{error instanceof Error ? error.message : String(error)}</p>
            <Button onClick={() => location.reload()}>{t('broken.reload')}</Button>
          </>
        )}
      </Notice>
    </div>
  )
}
