import { Elysia } from 'elysia'
import type { RouteDeps } from '../deps.ts'
import type { Shared } from '../group-parts.ts'
import { compareRoutes } from './compare/routes.ts'
import { dashboardRoutes } from '../dashboard/routes.ts'
import { createDashboard } from '../dashboard/service.ts'
import { downloadRoutes } from './downloads/routes.ts'
import { createDownloads } from './downloads/service.ts'
import { eventRoutes } from './events/routes.ts'
import { evictionRoutes } from '../cache/eviction/routes.ts'
import { exclusionRoutes } from '../clients/exclusions/routes.ts'
import { exportRoutes } from './export/routes.ts'
import { thingRoutes } from './games/routes.ts'
import { logCountRoutes } from './logs/count-routes.ts'
import { keepLogs } from './logs/custody.ts'
import { logCustodyRoutes } from './logs/custody-routes.ts'
import { quarantineRoutes } from './logs/quarantine-routes.ts'
import { logRemovalRoutes, logReopenRoutes } from './logs/removal-routes.ts'
import { logRoutes } from './logs/routes.ts'
import { scopeOf } from './reports/scope.ts'
import { warmUpWhenReady } from './reports/warm-up.ts'
import { snapshotRoutes } from '../cache/snapshots/routes.ts'
import { createSnapshots, keepSnapshots } from '../cache/snapshots/service.ts'
import { speedRoutes } from './speeds/routes.ts'
import { statsRoutes } from './stats/routes.ts'
import { createStats } from './stats/service.ts'
import { viewRoutes } from './views/routes.ts'

export function downloadsGroup(deps: RouteDeps, { reports, eviction, games }: Shared) {
  const stats = createStats(deps, reports)
  const downloads = createDownloads(deps, reports)
  const snapshots = createSnapshots(deps, reports)
  const dashboard = createDashboard(deps, { reports, stats, downloads, snapshots, games })
  keepSnapshots(deps)
  keepLogs(deps)
  warmUpWhenReady(deps.history, async () => {
    await dashboard.batch(scopeOf({}), false)
    await downloads.retro({})
  })
  return new Elysia({ name: 'downloads' })
    .use(dashboardRoutes(deps, dashboard))
    .use(downloadRoutes(deps, downloads))
    .use(eventRoutes(deps, reports))
    .use(compareRoutes(deps, reports))
    .use(exportRoutes(deps, { reports, stats }))
    .use(thingRoutes(deps, reports))
    .use(viewRoutes(deps))
    .use(exclusionRoutes(deps))
    .use(evictionRoutes(deps, eviction))
    .use(logRoutes(deps))
    .use(logCountRoutes(deps))
    .use(quarantineRoutes(deps))
    .use(logRemovalRoutes(deps))
    .use(logReopenRoutes(deps))
    .use(logCustodyRoutes(deps))
    .use(snapshotRoutes(deps, snapshots))
    .use(speedRoutes(deps, reports))
    .use(statsRoutes(deps, { reports, stats }))
}
