import type { Elysia } from 'elysia'
import { scopeOf } from '../downloads/contract.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { DashboardParts } from './parts.ts'
import { dataCapRoutes } from './data-cap/routes.ts'
import { createDataCap } from './data-cap/service.ts'
import { eventReportRoutes } from './event-report/routes.ts'
import { dashboardRoutes } from './routes.ts'
import { savingsRoutes } from './savings/routes.ts'
import { createDashboard } from './service.ts'
import { scheduleWarmUp, warmUpWhenReady } from './warm-up.ts'

/** The single answer for the overview page, assembled from the other groups. */
export function createDashboardGroup(parts: DashboardParts) {
  const dashboard = createDashboard(parts)
  const dataCap = createDataCap(parts)
  return {
    readDataCap: () => dataCap.read(),
    start() {
      const ask = async () => {
        await dashboard.batch(scopeOf({}), false)
        await parts.downloads.retro({})
      }
      warmUpWhenReady(parts.history, ask)
      scheduleWarmUp(parts, ask)
    },
    routes: (access: RouteAccess) => (app: Elysia) => {
      const deps = { ...parts, ...access }
      return app
        .use(dashboardRoutes(deps, dashboard))
        .use(savingsRoutes(deps))
        .use(eventReportRoutes(deps))
        .use(dataCapRoutes(deps, dataCap))
    },
  }
}

export type DashboardGroup = ReturnType<typeof createDashboardGroup>
