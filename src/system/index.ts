/*
 * Health, readiness, configuration, set-up steps and checklist, storage settings, operations,
 * status, and the choice after a mismatch of the stores; reset, import and snapshots; metrics,
 * notifications, widgets, MQTT, updates, and the newest lines of the log. It owns no thread and no store of
 * its own. Readiness asks `state`, `logs`, `cache` and `history`; a part that takes more than
 * three seconds counts as dead.
 */
import type { Elysia } from 'elysia'
import type { RouteAccess } from '../core/http/access.ts'
import { backupRoutes, snapshotFileRoutes } from './backup/routes.ts'
import { createBackups } from './backup/service.ts'
import { configRoutes } from './config/routes.ts'
import { createDatabaseReset } from './database/reset.ts'
import { databaseRoutes } from './database/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { historyLinkRoutes } from './history-link/routes.ts'
import { scheduleHistoryCleanup } from './operations/cleanup.ts'
import { operationsDrawerRoutes, operationsRoutes } from './operations/routes.ts'
import { createMemory } from './memory/service.ts'
import { collectionRoutes, collectionStatusRoutes, memoryRoutes } from './memory/routes.ts'
import { logViewRoutes } from './log/routes.ts'
import { mqttRoutes } from './mqtt/routes.ts'
import { createMqtt } from './mqtt/service.ts'
import { createMetrics } from './metrics/service.ts'
import { metricsRoutes, metricsSettingRoutes } from './metrics/routes.ts'
import { migrationRoutes } from './migration/routes.ts'
import { createMigration } from './migration/service.ts'
import { notificationRoutes, notificationTargetRoutes } from './notifications/routes.ts'
import type { ReadyNews } from '../core/lib/ready-news.ts'
import { createNotifications } from './notifications/service.ts'
import type { SignInPlatform } from './notifications/sources.ts'
import type { SystemParts } from './parts.ts'
import { scheduleChangeRoutes, schedulePreviewRoutes, scheduleRoutes } from './schedules/routes.ts'
import { createScheduleService } from './schedules/service.ts'
import { setupChecklistRoutes, setupRoutes } from './setup/routes.ts'
import { statusRoutes } from './status/routes.ts'
import { statusCheckRoutes } from './status-check/routes.ts'
import { createStatusCheck, type Connections } from './status-check/service.ts'
import { storageRoutes } from './storage/routes.ts'
import { updateRoutes } from './updates/routes.ts'
import { createUpdates } from './updates/service.ts'
import { createFigures } from './widgets/figures.ts'
import { widgetRoutes, widgetTokenRoutes } from './widgets/routes.ts'
import { createTokens } from './widgets/tokens.ts'

/** The service itself: health, configuration, set-up, storage, operations. */
export function createSystemGroup(parts: SystemParts, connections?: Connections) {
  const metrics = createMetrics(parts)
  const reset = createDatabaseReset(parts)
  const backups = createBackups(parts)
  const memory = createMemory(parts)
  const schedules = createScheduleService(parts)
  const statusCheck = createStatusCheck(parts, connections)
  const notifications = createNotifications(parts, statusCheck)
  const updates = createUpdates(parts)
  const figures = createFigures(parts)
  const tokens = createTokens(parts)
  const mqtt = createMqtt({ ...parts, figures })
  return {
    /** A platform ended the sign-in of the installation. */
    signInLost: (platform: SignInPlatform) => notifications.signInLost(platform),
    /** What has become of the games that are to be ready. */
    readyNews: (news: ReadyNews) => notifications.readyNews(news),
    /** The installation key was replaced: an intruder may have created some of the tokens. */
    revokeTokens: () => tokens.revokeAll(),
    start() {
      memory.start()
      reset.start()
      scheduleHistoryCleanup(parts)
      backups.start()
      schedules.start()
      updates.start()
      notifications.start()
      mqtt.start()
    },
    async stop() {
      notifications.stop()
      await mqtt.stop()
    },
    routes: (access: RouteAccess) => (app: Elysia) => {
      const deps = { ...parts, ...access }
      return app
        .use(healthRoutes(deps))
        .use(databaseRoutes(deps, reset))
        .use(migrationRoutes(deps, createMigration(parts)))
        .use(backupRoutes(deps, backups))
        .use(snapshotFileRoutes(deps, backups))
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
        .use(schedulePreviewRoutes(deps, schedules))
        .use(memoryRoutes(deps, memory))
        .use(collectionStatusRoutes(deps))
        .use(collectionRoutes(deps, memory))
        .use(metricsRoutes(deps, metrics))
        .use(metricsSettingRoutes(deps, metrics))
        .use(notificationRoutes(deps, notifications))
        .use(notificationTargetRoutes(deps, notifications))
        .use(widgetTokenRoutes(deps, tokens))
        .use(widgetRoutes(deps, { tokens, figures }))
        .use(mqttRoutes(deps, mqtt))
        .use(updateRoutes(deps, updates))
        .use(logViewRoutes(deps))
    },
  }
}

export type SystemGroup = ReturnType<typeof createSystemGroup>
