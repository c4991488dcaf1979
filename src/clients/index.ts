/*
 * Client groups, host names, kinds of devices, excluded clients. `contract.ts` exports what reports
 * and speeds need.
 *
 * Exclusions are part of a question. Rules for hidden and excluded clients change the scope of a
 * report, and answers are cached per scope. No cached answer outlives a rule.
 *
 * Host names come from the local network only. Only private addresses are looked up: at the
 * resolvers of `Dns__Servers`, then at those of the system, the gateway and the usual router
 * addresses of the clients' networks, as far as these are private themselves. A request waits
 * three seconds; names found later are published.
 *
 * A group is saved with the state it was read in. Every save sends `expectedUpdatedAtUtc`. If the
 * group changed meanwhile the answer is 409 with the current group; the panel shows the change and
 * reloads. Exclusion rules are replaced as a whole, so the dashboard reads them again right before
 * it changes one.
 */
import type { Elysia } from 'elysia'
import type { RouteAccess } from '../core/http/access.ts'
import { bypassRoutes, queryLogRoutes } from './bypass/routes.ts'
import { createBypass } from './bypass/service.ts'
import { deviceRoutes } from './devices/routes.ts'
import { exclusionRoutes } from './exclusions/routes.ts'
import { groupRoutes } from './groups/routes.ts'
import { hostnameRoutes, hostnameSwitchRoutes } from './host-names/routes.ts'
import type { ClientsParts } from './parts.ts'

/** Clients: groups of addresses, host names, exclusions. */
export function createClientsGroup(parts: ClientsParts) {
  const bypass = createBypass(parts)
  return {
    routes: (access: RouteAccess) => (app: Elysia) => {
      const deps = { ...parts, ...access }
      return app
        .use(groupRoutes(deps))
        .use(hostnameRoutes(deps))
        .use(hostnameSwitchRoutes(deps))
        .use(exclusionRoutes(deps))
        .use(deviceRoutes(deps))
        .use(bypassRoutes(deps, bypass))
        .use(queryLogRoutes(deps, bypass))
    },
  }
}

export type ClientsGroup = ReturnType<typeof createClientsGroup>
