import { Elysia } from 'elysia'
import type { RouteDeps } from '../deps.ts'
import { configRoutes } from './config/routes.ts'
import { databaseRoutes } from './database/routes.ts'
import { defaultsRoutes } from '../access/defaults/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { historyLinkRoutes } from './history-link/routes.ts'
import { operationsDrawerRoutes, operationsRoutes } from './operations/routes.ts'
import { setupRoutes } from './setup/routes.ts'
import { statusRoutes } from './status/routes.ts'
import { storageRoutes } from './storage/routes.ts'

export const systemGroup = (deps: RouteDeps) =>
  new Elysia({ name: 'system' })
    .use(healthRoutes(deps))
    .use(databaseRoutes(deps))
    .use(configRoutes(deps))
    .use(setupRoutes(deps))
    .use(statusRoutes(deps))
    .use(historyLinkRoutes(deps))
    .use(storageRoutes(deps))
    .use(defaultsRoutes(deps))
    .use(operationsRoutes(deps))
    .use(operationsDrawerRoutes(deps))
