import { Elysia } from 'elysia'
import type { RouteAccess } from '../core/http/access.ts'
import { exclusionRoutes } from './exclusions/routes.ts'
import { groupRoutes } from './groups/routes.ts'
import { hostnameRoutes, hostnameSwitchRoutes } from './host-names/routes.ts'
import type { ClientsParts } from './parts.ts'

/** Clients: groups of addresses, host names, exclusions. */
export function createClientsGroup(parts: ClientsParts) {
  return {
    routes(access: RouteAccess) {
      const deps = { ...parts, ...access }
      return new Elysia({ name: 'clients' })
        .use(groupRoutes(deps))
        .use(hostnameRoutes(deps))
        .use(hostnameSwitchRoutes(deps))
        .use(exclusionRoutes(deps))
    },
  }
}

export type ClientsGroup = ReturnType<typeof createClientsGroup>
