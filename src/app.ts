import { Elysia } from 'elysia'
import type { AccessControl } from './access/contract.ts'
import { accessGroup } from './access/index.ts'
import { cacheGroup } from './cache/index.ts'
import { clientsGroup } from './clients/index.ts'
import { downloadsGroup } from './downloads/index.ts'
import { createShared } from './group-parts.ts'
import { systemGroup } from './system/index.ts'
import type { Deps, RouteDeps } from './deps.ts'
import { checkPages, createAccess, routeRules } from './core/http/access.ts'
import { around } from './core/http/around.ts'
import { createCompressor } from './core/http/compression.ts'
import { crossOrigin } from './core/http/cross-origin.ts'
import { docs } from './core/http/docs.ts'
import { errors } from './core/http/errors.ts'
import { foreignRequests } from './core/http/foreign-requests.ts'
import { securityHeaders, strictTransport } from './core/http/headers.ts'
import { unmatchedPaths } from './core/http/unmatched.ts'
import { dashboardAssets, dashboardShell } from './core/http/spa.ts'
import { socketOptions } from './core/live/limits.ts'
import { hubRoutes } from './core/http/hub-routes.ts'

/** Largest request body that is received at all: a theme and its form; routes are stricter. */
const requestBytesMax = 1.25 * 1024 * 1024

function createApi(deps: RouteDeps) {
  const shared = createShared(deps)
  return new Elysia({ name: 'api' })
    .use(accessGroup(deps))
    .use(cacheGroup(deps, shared))
    .use(clientsGroup(deps))
    .use(downloadsGroup(deps, shared))
    .use(systemGroup(deps))
}

/** Type of the whole API for the dashboard's typed client. */
export type Api = ReturnType<typeof createApi>

/** Puts the HTTP side together: errors, headers, the API groups, hub, documents, dashboard. */
export async function createApp(deps: Deps, control: AccessControl) {
  const access = createAccess(control.gate)
  const routeDeps = { ...deps, access: access.plugin, control }
  const api = createApi(routeDeps)
  const hub = hubRoutes(routeDeps)
  access.follow(routeRules([...api.routes, ...hub.routes]))
  access.forms.learn(api.routes)
  const unmatched = unmatchedPaths(api.routes, dashboardShell(deps.config.webPath))
  const assets = await dashboardAssets(deps.config.webPath)
  const app = new Elysia({
    serve: { maxRequestBodySize: requestBytesMax },
    websocket: socketOptions,
  })
    .wrap(around(createCompressor(), deps.log))
    .wrap(crossOrigin(deps.config.security.allowedOrigins))
    .wrap(foreignRequests({ ...deps.config.security, address: control.address, log: deps.log }))
    .use(errors({ log: deps.log, unmatched }))
    .headers({ ...securityHeaders, ...(deps.config.tls === null ? {} : strictTransport) })
    .use(api)
    .use(hub)
    .use(docs(control.guardDocuments))
  if (assets !== null) app.use(assets)
  const dashboard = ({ request }: { request: Request }) => unmatched(request)
  app.get('/', dashboard, { detail: { hide: true } })
  app.get('/*', dashboard, { detail: { hide: true } })
  checkPages(app.routes)
  return { app, api, hub }
}
