import { scopeOf } from '../downloads/contract.ts'
import type { RouteAccess } from '../core/http/access.ts'
import type { DashboardParts } from './parts.ts'
import { dashboardRoutes } from './routes.ts'
import { createDashboard } from './service.ts'
import { warmUpWhenReady } from './warm-up.ts'

/** The single answer for the overview page, assembled from the other groups. */
export function createDashboardGroup(parts: DashboardParts) {
  const dashboard = createDashboard(parts)
  return {
    start() {
      warmUpWhenReady(parts.history, async () => {
        await dashboard.batch(scopeOf({}), false)
        await parts.downloads.retro({})
      })
    },
    routes: (access: RouteAccess) => dashboardRoutes({ ...parts, ...access }, dashboard),
  }
}

export type DashboardGroup = ReturnType<typeof createDashboardGroup>
