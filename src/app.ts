import { Elysia, type InternalRoute } from 'elysia'
import type { AccessControl } from './access/contract.ts'
import type { AccessGroup } from './access/index.ts'
import { accessEvents } from './access/live-events.ts'
import { accessSettings } from './access/settings.ts'
import type { CacheGroup } from './cache/index.ts'
import { cacheEvents } from './cache/live-events.ts'
import { cacheSettings } from './cache/settings.ts'
import type { CatalogueGroup } from './catalogue/index.ts'
import { catalogueEvents } from './catalogue/live-events.ts'
import { catalogueSettings } from './catalogue/settings.ts'
import type { ClientsGroup } from './clients/index.ts'
import { clientsEvents } from './clients/live-events.ts'
import { clientsSettings } from './clients/settings.ts'
import type { Core } from './core/core.ts'
import { checkPages, createAccess, routeRules, type RouteAccess } from './core/http/access.ts'
import { crossOrigin } from './core/http/cross-origin.ts'
import { docs } from './core/http/docs.ts'
import { errors } from './core/http/errors.ts'
import { foreignRequests } from './core/http/foreign-requests.ts'
import { securityHeaders, strictTransport } from './core/http/headers.ts'
import { hubRoutes } from './core/http/hub-routes.ts'
import { lastResort } from './core/http/last-resort.ts'
import { dashboard } from './core/http/spa.ts'
import { unmatchedPaths } from './core/http/unmatched.ts'
import { wrapRequest } from './core/http/wrap-request.ts'
import { liveEvents, type EventCatalogue } from './core/live/events.ts'
import { socketOptions } from './core/live/limits.ts'
import { operationEvents } from './core/operations/events.ts'
import { coreSettings, type Declared } from './core/settings/rules.ts'
import type { DashboardGroup } from './dashboard/index.ts'
import { dashboardSettings } from './dashboard/settings.ts'
import type { DownloadsGroup } from './downloads/index.ts'
import { downloadsEvents } from './downloads/live-events.ts'
import { downloadsSettings } from './downloads/settings.ts'
import { nodeEvents } from './nodes/live-events.ts'
import type { NodesGroup } from './nodes/index.ts'
import type { PartyGroup } from './party/index.ts'
import type { PrefillGroup } from './prefill/index.ts'
import { hubDocuments, hubsGuide, prefillEvents } from './prefill/live-events.ts'
import { prefillSettings } from './prefill/settings.ts'
import type { SystemGroup } from './system/index.ts'
import { systemEvents } from './system/live-events.ts'
import { systemSettings } from './system/settings.ts'

/** Largest request body that is received at all: a theme and its form; routes are stricter. */
const requestBytesMax = 1.25 * 1024 * 1024

const declaredEvents = {
  ...liveEvents,
  ...operationEvents,
  ...accessEvents,
  ...cacheEvents,
  ...catalogueEvents,
  ...clientsEvents,
  ...downloadsEvents,
  ...nodeEvents,
  ...prefillEvents,
  ...systemEvents,
}

/** Every event of the service. */
export const events: EventCatalogue = new Map(Object.entries(declaredEvents))

/** Every setting of the dashboard and the API. */
export const settingRules = {
  ...coreSettings,
  ...accessSettings,
  ...cacheSettings,
  ...catalogueSettings,
  ...clientsSettings,
  ...dashboardSettings,
  ...downloadsSettings,
  ...prefillSettings,
  ...systemSettings,
}

declare module './core/live/events.ts' {
  interface EventPayloads extends PayloadsOf<typeof declaredEvents> {}
}
declare module './core/settings/rules.ts' {
  interface SettingRules extends Declared<typeof settingRules> {}
}

export interface Groups {
  access: AccessGroup
  cache: CacheGroup
  catalogue: CatalogueGroup
  clients: ClientsGroup
  downloads: DownloadsGroup
  prefill: PrefillGroup
  system: SystemGroup
  dashboard: DashboardGroup
  party: PartyGroup
  nodes: NodesGroup
}

/** Groups add their routes to one instance: each instance in between would copy all of them again. */
const addApi = (app: Elysia, groups: Groups, access: RouteAccess) =>
  app
    .use(groups.access.routes(access))
    .use(groups.cache.routes(access))
    .use(groups.catalogue.routes(access))
    .use(groups.clients.routes(access))
    .use(groups.downloads.routes(access))
    .use(groups.dashboard.routes(access))
    .use(groups.system.routes(access))
    .use(groups.prefill.routes(access))
    .use(new Elysia().use(groups.party.routes(access)).use(groups.nodes.routes(access)))

/** Type of the whole API for the dashboard's typed client. */
export type Api = ReturnType<typeof addApi>

/** Puts the HTTP side together: errors, headers, the groups' routes, hub, documents, dashboard. */
export function createApp(core: Core, groups: Groups, control: AccessControl) {
  const { config, log } = core
  const access = createAccess(control.gate)
  const routeAccess = { access: access.plugin }
  const apiRoutes: InternalRoute[] = []
  const unmatched = unmatchedPaths(() => [...apiRoutes, ...hub.routes], dashboard(config.webPath))
  const app = new Elysia({
    serve: { maxRequestBodySize: requestBytesMax, development: false },
    websocket: socketOptions,
  })
  app
    .wrap(wrapRequest(log))
    .wrap(crossOrigin(config.security.allowedOrigins))
    .wrap(foreignRequests({ ...config.security, address: control.address, log }))
    .wrap(lastResort(log))
    .use(errors({ log, unmatched }))
    .headers({ ...securityHeaders, ...(config.tls === null ? {} : strictTransport) })
  addApi(app, groups, routeAccess)
  apiRoutes.push(...app.routes)
  const hub = hubRoutes({ ...core, ...routeAccess })
    .use(groups.prefill.hubRoutes(routeAccess))
    .use(groups.nodes.socket(routeAccess))
  access.follow(routeRules([...apiRoutes, ...hub.routes]))
  access.forms.learn(apiRoutes)
  app.use(hub).use(
    docs({
      guard: control.guardDocuments,
      routes: apiRoutes,
      chapters: [hubsGuide],
      events,
      hubs: hubDocuments,
    }),
  )
  const read = ({ request }: { request: Request }) => unmatched(request)
  app.get('/', read, { detail: { hide: true } })
  app.get('/*', read, { detail: { hide: true } })
  checkPages(app.routes)
  return { app, apiRoutes, hub }
}
