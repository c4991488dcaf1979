import { routesAt } from '../../core/http/access.ts'
import type { ClientsRouteParts } from '../parts.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import * as model from './model.ts'
import { readHostnames, readSwitches, resolveHostname, setEnabled } from './service.ts'

export const hostnameRoutes = (deps: ClientsRouteParts) =>
  routesAt(deps.access, 'Clients', '/api/clients/hostnames')
    .get('', ({ caller }) => readHostnames(deps, caller), {
      access: 'session',
      response: { 200: model.Hostnames },
      detail: { summary: 'Reverse-DNS names of the client addresses in view' },
    })
    .post('/enabled', ({ body }) => setEnabled(deps, body), {
      access: 'account',
      body: example(model.EnabledBody, { enabled: true, showToGuests: false }),
      response: { 200: model.Enabled, 400: ErrorBody },
      detail: { summary: 'Turn host name lookups on or off for the whole network' },
    })
    .post('/resolve', ({ body }) => resolveHostname(deps, body.hostname ?? ''), {
      access: 'account',
      body: example(model.ResolveBody, { hostname: 'desk.lan' }),
      response: { 200: model.Resolved, 400: ErrorBody },
      detail: { summary: 'Look up the addresses of a host name' },
    })

/** State of the two switches; the contract only sets them. */
export const hostnameSwitchRoutes = (deps: ClientsRouteParts) =>
  routesAt(deps.access, 'Clients', '/api/ext/clients').get(
    '/hostnames/enabled',
    () => readSwitches(deps),
    {
      access: 'account',
      response: { 200: model.Enabled },
      detail: { summary: 'Whether host names are looked up, and whether guests see them' },
    },
  )
