import { Elysia } from 'elysia'
import type { RouteAccess } from '../core/http/access.ts'
import { configRoutes } from './config/routes.ts'
import { createDatabaseReset } from './database/reset.ts'
import { databaseRoutes } from './database/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { historyLinkRoutes } from './history-link/routes.ts'
import { operationsDrawerRoutes, operationsRoutes } from './operations/routes.ts'
import { createMemory } from './memory/service.ts'
import { collectionRoutes, collectionStatusRoutes, memoryRoutes } from './memory/routes.ts'
import { createMetrics } from './metrics/service.ts'
import { metricsRoutes, metricsSettingRoutes } from './metrics/routes.ts'
import { migrationRoutes } from './migration/routes.ts'
import { createMigration } from './migration/service.ts'
import type { SystemParts } from './parts.ts'
import { scheduleChangeRoutes, scheduleRoutes } from './schedules/routes.ts'
import { createScheduleService } from './schedules/service.ts'
import { setupChecklistRoutes, setupRoutes } from './setup/routes.ts'
import { statusRoutes } from './status/routes.ts'
import { statusCheckRoutes } from './status-check/routes.ts'
import { createStatusCheck, type Connections } from './status-check/service.ts'
import { storageRoutes } from './storage/routes.ts'

/** The service itself: health, configuration, set-up, storage, operations. */
export function createSystemGroup(parts: SystemParts, connections?: Connections) {
  const metrics = createMetrics(parts)
  const reset = createDatabaseReset(parts)
  const memory = createMemory(parts)
  const schedules = createScheduleService(parts)
  const statusCheck = createStatusCheck(parts, connections)
  return {
    start() {
      memory.start()
      reset.start()
      schedules.start()
    },
    routes(access: RouteAccess) {
      const deps = { ...parts, ...access }
      return new Elysia({ name: 'system' })
        .use(healthRoutes(deps))
        .use(databaseRoutes(deps, reset))
        .use(migrationRoutes(deps, createMigration(parts)))
        .use(configRoutes(deps))
        .use(setupRoutes(deps))
        .use(setupChecklistRoutes(deps))
        .use(statusRoutes(deps))
        .use(statusCheckRoutes(deps, statusCheck))
        .use(historyLinkRoutes(deps))
        .use(storageRoutes(deps))
        .use(operationsRoutes(deps))
        .use(operationsDrawerRoutes(deps))
        .use(scheduleRoutes(deps, schedules))
        .use(scheduleChangeRoutes(deps, schedules))
        .use(memoryRoutes(deps, memory))
        .use(collectionStatusRoutes(deps))
        .use(collectionRoutes(deps, memory))
        .use(metricsRoutes(deps, metrics))
        .use(metricsSettingRoutes(deps, metrics))
    },
  }
}

export type SystemGroup = ReturnType<typeof createSystemGroup>
