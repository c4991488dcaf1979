import type { Elysia } from 'elysia'
import type { RouteAccess } from '../core/http/access.ts'
import { Later } from './away/later.ts'
import { laterRoutes } from './away/routes.ts'
import { clearingRoutes } from './clearing/routes.ts'
import { createClearing } from './clearing/service.ts'
import { corruptionRemovalRoutes, corruptionRoutes } from './corruption/routes.ts'
import { createCorruptionService } from './corruption/service.ts'
import { watchFolders } from './datasources/watch.ts'
import { createDetection } from './detection/detection.ts'
import { doctorRoutes } from './doctor/routes.ts'
import { evictedRoutes } from './eviction/evicted-routes.ts'
import { createEviction } from './eviction/eviction.ts'
import { evictionOrderRoutes } from './eviction-order/routes.ts'
import { evictionRoutes } from './eviction/routes.ts'
import { createGameNames } from './games/names.ts'
import { gameNameRoutes, gameRoutes } from './games/routes.ts'
import { createGames } from './games/service.ts'
import { createStock } from './games/stock.ts'
import { infoRoutes } from './info/routes.ts'
import { missRoutes } from './misses/routes.ts'
import type { CacheParts } from './parts.ts'
import { connectLogReopening } from './proxy/connect.ts'
import { createPending } from './removals/pending.ts'
import { removalRoutes } from './removals/routes.ts'
import { createRemovals } from './removals/service.ts'
import { retentionRoutes } from './retention/routes.ts'
import { createRetentionService } from './retention/service.ts'
import { sizeRoutes } from './size/routes.ts'
import { keepIndexFresh, scheduleSizeScan } from './size/schedule.ts'
import { sizeCurveRoutes } from './sizes/routes.ts'
import { createSizes } from './sizes/service.ts'
import { snapshotRoutes } from './snapshots/routes.ts'
import { createSnapshots, keepSnapshots } from './snapshots/service.ts'

/** The caches: size, games, eviction, corruption, removal, retention, the proxy. */
export function createCacheGroup(parts: CacheParts) {
  const { reports } = parts
  const later = new Later(parts)
  const withLater = { ...parts, later }
  const eviction = createEviction(withLater, {
    dropAll() {
      reports.dropAll()
      games.forget()
    },
  })
  const detection = createDetection(parts, eviction)
  const games = createGames(parts, detection)
  const corruption = createCorruptionService(withLater)
  const pending = createPending(parts, eviction)
  const removals = createRemovals(parts, { pending, later })
  const clearing = createClearing(parts, { pending, later })
  const retention = createRetentionService(parts, removals)
  const snapshots = createSnapshots(parts)
  const sizes = createSizes(parts)
  const pinned = () => retention.pins().items.map(({ gameKey }) => gameKey)
  const stock = createStock(parts, { detection, pinned })
  let stopWatching = () => {}
  let stopRefreshing = () => {}
  return {
    games,
    snapshots,
    stock,
    start() {
      for (const part of [eviction, detection, games, corruption, pending, retention, stock, sizes])
        part.start()
      later.start({
        removal: removals.takeUp,
        evicted: eviction.takeUp,
        corruption: corruption.takeUp,
        clearing: clearing.takeUp,
      })
      keepSnapshots(parts)
      scheduleSizeScan(parts)
      connectLogReopening(parts)
      stopWatching = watchFolders(parts)
    },
    /** Needs the running engine: the first walk begins immediately. */
    startWalking: () => void (stopRefreshing = keepIndexFresh(parts)),
    stop() {
      later.stop()
      stopRefreshing()
      stopWatching()
    },
    routes: (access: RouteAccess) => (app: Elysia) => {
      const deps = { ...parts, ...access }
      return app
        .use(infoRoutes(deps))
        .use(sizeRoutes(deps))
        .use(snapshotRoutes(deps, snapshots))
        .use(sizeCurveRoutes(deps, sizes))
        .use(evictionOrderRoutes(deps, snapshots))
        .use(corruptionRoutes(deps, corruption))
        .use(corruptionRemovalRoutes(deps, corruption))
        .use(doctorRoutes(deps))
        .use(missRoutes(deps))
        .use(evictionRoutes(deps, eviction))
        .use(evictedRoutes({ ...deps, later }, eviction))
        .use(clearingRoutes(deps, clearing))
        .use(removalRoutes(deps, removals))
        .use(laterRoutes(deps, later))
        .use(retentionRoutes(deps, retention))
        .use(gameRoutes(deps, games))
        .use(gameNameRoutes(deps, createGameNames(parts, detection)))
    },
  }
}

export type CacheGroup = ReturnType<typeof createCacheGroup>
