/*
 * Downloads, reports, events, exports, speeds, saved views, and the endpoints for log files.
 * `contract.ts` exports reports and their scopes, statistics, and the interface `ProxyControl`,
 * which `cache/proxy` implements.
 *
 * A page is read in the order of an index. The list of all downloads has nine orders. Downloads
 * without a depot are rows of their own; depots come from stored sums. At most as many single
 * downloads as there are depots are read beside those of the page, from whichever end is nearer.
 * Orders by size and by share have indexes of their own, which also hold what filters ask for; all
 * others are read from the indexes of every download. Indexes for far pages in those orders were
 * removed: they were a third of the space of all indexes of downloads, and page 5000 of a million
 * takes a third of a second without them.
 *
 * An export has its own connection. It is one cursor, so the file is what the history held at one
 * moment, and a slow reader may keep the connection busy while the five of the reports stay free.
 * The next thousand rows are fetched when the reader has taken those before. A reader that takes
 * nothing for a minute, or goes away, ends the query. Exports are not compressed, because that
 * would hold them in memory.
 *
 * The calendar feed has a token. Calendar programs cannot sign in. One token per installation,
 * stored sealed, opens that file and nothing else. It is in the query, which is never logged, and
 * can be replaced or withdrawn. A replaced installation key ends it, like the tokens of widgets.
 *
 * What was served stays counted. Evicted downloads are hidden from lists or removed, as the owner
 * chooses; bytes that clients received remain in all sums. Removing evicted downloads deletes rows
 * and log lines, never files, and leaves the traffic tables unchanged.
 */
import type { Elysia } from 'elysia'
import { shownSpeeds } from '../clients/contract.ts'
import type { RouteAccess } from '../core/http/access.ts'
import { bottleneckRoutes } from './bottleneck/routes.ts'
import { compareRoutes } from './compare/routes.ts'
import { downloadRoutes, sessionRoutes } from './downloads/routes.ts'
import { createDownloads } from './downloads/service.ts'
import { eventRoutes } from './events/routes.ts'
import { closeFeed } from './events/feed.ts'
import { findEvent } from './events/store.ts'
import { createFilling } from './events/filling.ts'
import { connectTagging } from './events/tagging.ts'
import { exportRoutes } from './export/routes.ts'
import { createDemand } from './games/demand.ts'
import { createSummary } from './games/summary.ts'
import { thingRoutes } from './games/routes.ts'
import { historyRetentionRoutes } from './history-retention/routes.ts'
import { createHistoryRetention } from './history-retention/service.ts'
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
  const summary = createSummary(parts, reports)
  const retention = createHistoryRetention(parts, reports)
  const recent = new RecentSpeeds()
  return {
    reports,
    stats,
    downloads,
    summary,
    demand: createDemand(parts, reports),
    recentSpeeds: () => recent.since(parts.clock.now()),
    hasEvent: async (id: string) =>
      /^[1-9]\d{0,14}$/.test(id) &&
      (await reports.read((sql) => findEvent(sql, Number(id)))) !== null,
    closeFeed: () => void closeFeed(parts),
    start() {
      reports.start()
      connectFeeds(parts, { recent, shown: (speeds) => shownSpeeds(parts.state, speeds) })
      connectTagging(parts, reports)
      filling.start()
      keepLogs(parts)
      retention.start()
    },
    routes: (access: RouteAccess) => (app: Elysia) => {
      const deps = { ...parts, ...access }
      return app
        .use(downloadRoutes(deps, downloads))
        .use(sessionRoutes(deps, downloads))
        .use(bottleneckRoutes(deps, reports))
        .use(eventRoutes(deps, { reports, filling }))
        .use(compareRoutes(deps, reports))
        .use(exportRoutes(deps, { reports, stats }))
        .use(thingRoutes(deps, { reports, summary }))
        .use(viewRoutes(deps))
        .use(logRoutes(deps))
        .use(logCountRoutes(deps))
        .use(quarantineRoutes(deps))
        .use(logRemovalRoutes(deps))
        .use(logReopenRoutes(deps))
        .use(logRetentionRoutes(deps))
        .use(historyRetentionRoutes(deps, retention))
        .use(speedRoutes(deps, reports))
        .use(recentSpeedRoutes(deps, recent))
        .use(statsRoutes(deps, { reports, stats }))
    },
  }
}

export type DownloadsGroup = ReturnType<typeof createDownloadsGroup>
