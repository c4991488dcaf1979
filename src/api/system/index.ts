import { Elysia } from 'elysia'
import type { RouteDeps } from '../../deps.ts'
import { operationsDrawerRoutes, operationsRoutes } from './operations/routes.ts'
import { statusRoutes } from './status/routes.ts'

export const systemGroup = (deps: RouteDeps) =>
  new Elysia({ name: 'system' })
    .use(statusRoutes(deps))
    .use(operationsRoutes(deps))
    .use(operationsDrawerRoutes(deps))
