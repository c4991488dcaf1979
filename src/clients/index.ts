import { Elysia } from 'elysia'
import type { RouteDeps } from '../deps.ts'
import { groupRoutes } from './groups/routes.ts'
import { hostnameRoutes, hostnameSwitchRoutes } from './host-names/routes.ts'

export const clientsGroup = (deps: RouteDeps) =>
  new Elysia({ name: 'clients' })
    .use(groupRoutes(deps))
    .use(hostnameRoutes(deps))
    .use(hostnameSwitchRoutes(deps))
