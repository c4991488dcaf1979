import { Elysia } from 'elysia'
import { shownSpeeds } from '../clients/contract.ts'
import type { RouteAccess } from '../core/http/access.ts'
import { compareRoutes } from './compare/routes.ts'
import { downloadRoutes, sessionRoutes } from './downloads/routes.ts'
import { createDownloads } from './downloads/service.ts'
import { eventRoutes } from './events/routes.ts'
import { closeFeed } from './events/feed.ts'
import { createFilling } from './events/filling.ts'
import { connectTagging } from './events/tagging.ts'
import { exportRoutes } from './export/routes.ts'
import { thingRoutes } from './games/routes.ts'
import { logCountRoutes } from './logs/count-routes.ts'
import { keepLogs } from './logs/retention.ts'
import { logRetentionRoutes } from './logs/retention-routes.ts'
import { quarantineRoutes } from './logs/quarantine-routes.ts'
import { logRemovalRoutes, logReopenRoutes } from './logs/removal-routes.ts'
import { logRoutes } from './logs/routes.ts'
import type { DownloadsParts } from './parts.ts'
import { createReports } from './reports/reports.ts'
import { connectFeeds } from './speeds/feeds.ts'
import { RecentSpeeds } from './speeds/recent.ts'
import { recentSpeedRoutes, speedRoutes } from './speeds/routes.ts'
import { createStats } from './stats/service.ts'
import { statsRoutes } from './stats/routes.ts'
import { viewRoutes } from './views/routes.ts'

/** Traffic served and saved: downloads, reports, events, exports, log files. */
export function createDownloadsGroup(parts: DownloadsParts) {
  const reports = createReports(parts)
  const stats = createStats(parts, reports)
  const filling = createFilling(parts, reports)
  const downloads = createDownloads(parts, reports)
  const recent = new RecentSpeeds()
  return {
    reports,
    stats,
    downloads,
    closeFeed: () => void closeFeed(parts),
    start() {
      reports.start()
      connectFeeds(parts, { recent, shown: (speeds) => shownSpeeds(parts.state, speeds) })
      connectTagging(parts)
      filling.start()
      keepLogs(parts)
    },
    routes(access: RouteAccess) {
      const deps = { ...parts, ...access }
      return new Elysia({ name: 'downloads' })
        .use(downloadRoutes(deps, downloads))
        .use(sessionRoutes(deps, downloads))
        .use(eventRoutes(deps, { reports, filling }))
        .use(compareRoutes(deps, reports))
        .use(exportRoutes(deps, { reports, stats }))
        .use(thingRoutes(deps, reports))
        .use(viewRoutes(deps))
        .use(logRoutes(deps))
        .use(logCountRoutes(deps))
        .use(quarantineRoutes(deps))
        .use(logRemovalRoutes(deps))
        .use(logReopenRoutes(deps))
        .use(logRetentionRoutes(deps))
        .use(speedRoutes(deps, reports))
        .use(recentSpeedRoutes(deps, recent))
        .use(statsRoutes(deps, { reports, stats }))
    },
  }
}

export type DownloadsGroup = ReturnType<typeof createDownloadsGroup>
