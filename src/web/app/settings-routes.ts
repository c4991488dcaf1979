import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { openOf } from '../pages/settings/open-search.ts'
import { sessionsSearch } from '../pages/settings/sessions/search.ts'
import { rootRoute } from './root-route.ts'

const getParentRoute = () => rootRoute

const index = createRoute({
  getParentRoute,
  path: '/settings',
  component: lazyRouteComponent(
    () => import('../pages/settings/index-page.tsx'),
    'SettingsIndexPage',
  ),
})

const preferences = createRoute({
  getParentRoute,
  path: '/settings/preferences',
  component: lazyRouteComponent(
    () => import('../pages/settings/preferences/page.tsx'),
    'PreferencesPage',
  ),
})

const themes = createRoute({
  getParentRoute,
  path: '/settings/themes',
  component: lazyRouteComponent(() => import('../pages/settings/themes/page.tsx'), 'ThemesPage'),
})

const password = createRoute({
  getParentRoute,
  path: '/settings/password',
  component: lazyRouteComponent(
    () => import('../pages/settings/password-page.tsx'),
    'PasswordPage',
  ),
})

const accounts = createRoute({
  getParentRoute,
  path: '/settings/accounts',
  validateSearch: openOf,
  component: lazyRouteComponent(
    () => import('../pages/settings/accounts/page.tsx'),
    'AccountsPage',
  ),
})

const sessions = createRoute({
  getParentRoute,
  path: '/settings/sessions',
  validateSearch: sessionsSearch,
  component: lazyRouteComponent(
    () => import('../pages/settings/sessions/page.tsx'),
    'SessionsPage',
  ),
})

const guests = createRoute({
  getParentRoute,
  path: '/settings/guests',
  component: lazyRouteComponent(() => import('../pages/settings/guests/page.tsx'), 'GuestsPage'),
})

const keys = createRoute({
  getParentRoute,
  path: '/settings/keys',
  component: lazyRouteComponent(() => import('../pages/settings/keys/page.tsx'), 'KeysPage'),
})

const audit = createRoute({
  getParentRoute,
  path: '/settings/audit',
  component: lazyRouteComponent(() => import('../pages/settings/audit/page.tsx'), 'AuditTrailPage'),
})

const clients = createRoute({
  getParentRoute,
  path: '/settings/clients',
  validateSearch: openOf,
  component: lazyRouteComponent(
    () => import('../pages/settings/clients/page.tsx'),
    'ClientSettingsPage',
  ),
})

const logs = createRoute({
  getParentRoute,
  path: '/settings/logs',
  component: lazyRouteComponent(() => import('../pages/settings/logs/page.tsx'), 'LogSettingsPage'),
})

const datasources = createRoute({
  getParentRoute,
  path: '/settings/datasources',
  component: lazyRouteComponent(
    () => import('../pages/settings/datasources/page.tsx'),
    'DatasourcesPage',
  ),
})

/** Every page under `/settings`, each a chunk of its own. */
export const settingsRoutes = [
  index,
  preferences,
  themes,
  password,
  accounts,
  sessions,
  guests,
  keys,
  audit,
  clients,
  logs,
  datasources,
] as const
