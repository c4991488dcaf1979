import type { Elysia } from 'elysia'
import type { ReadyNews } from '../core/lib/ready-news.ts'
import type { RouteAccess } from '../core/http/access.ts'
import { accountRoutes } from './accounts/routes.ts'
import { createAccounts } from './accounts/service.ts'
import { administrationRoutes, banRoutes, prefillCacheRoutes } from './administration/routes.ts'
import { createAdministration } from './administration/service.ts'
import { Budget } from './bandwidth/budget.ts'
import { bandwidthRoutes } from './bandwidth/routes.ts'
import { createBanService } from './bans/service.ts'
import { createHubs } from './hubs/create.ts'
import { platformHubRoutes } from './hubs/routes.ts'
import { createAvailability } from './overview/availability.ts'
import { overviewRoutes } from './overview/routes.ts'
import type { PrefillParts } from './parts.ts'
import { createGates } from './persistent/gates.ts'
import { Persistent } from './persistent/persistent.ts'
import { persistentLoginRoutes, storedLoginRoutes } from './persistent/login-routes.ts'
import { persistentRoutes, persistentRunRoutes, validityRoutes } from './persistent/routes.ts'
import { createPersistentService } from './persistent/service.ts'
import { readyRoutes } from './ready/routes.ts'
import { ReadinessBoard } from './ready/service.ts'
import { createNamedSchedules } from './scheduled/named.ts'
import { namedScheduleRoutes } from './scheduled/named-routes.ts'
import { scheduledPrefillRoutes } from './scheduled/routes.ts'
import { ScheduledPrefills } from './scheduled/service.ts'
import { createScheduleStore } from './scheduled/store.ts'
import { prefillActivity } from './sessions/activity.ts'
import { Recovery } from './sessions/recovery.ts'
import { platformRoutes } from './sessions/routes.ts'
import { createRunOrigins } from './sessions/run-origins.ts'
import { RunJobs } from './sessions/run-jobs.ts'
import { createSessionService } from './sessions/service.ts'
import { Sessions } from './sessions/sessions.ts'
import { shelfRoutes } from './shelf/routes.ts'
import { createShelf } from './shelf/service.ts'
import { createWatch } from './sessions/watch.ts'
import { createTakeUp } from './take-up.ts'

/** Filling the cache ahead of time: sessions with daemons, bans, persistent sessions, schedules. */
export function createPrefillGroup(parts: PrefillParts) {
  const hubs = createHubs(parts)
  const sessions = new Sessions({ ...parts, hubs: hubs.hubs })
  const service = createSessionService(parts, sessions)
  const runs = new RunJobs(parts, sessions)
  const store = createScheduleStore(parts)
  const persistent = new Persistent(parts, { sessions, store })
  const recovery = new Recovery(parts, { sessions, persistence: persistent })
  const watch = createWatch(parts, sessions)
  const administration = createAdministration(parts, sessions)
  const bans = createBanService(parts, sessions)
  const ofPersistent = { sessions, persistent, gated: createGates() }
  const persistents = createPersistentService({ ...parts, ...ofPersistent, service, runs })
  const accounts = createAccounts({ ...parts, ...ofPersistent })
  const scheduled = new ScheduledPrefills(parts, { sessions, service, store })
  const named = createNamedSchedules({ ...parts, ...sessions.stores, store, scheduled })
  const ready = new ReadinessBoard(parts, { sessions, service })
  const shelf = createShelf(parts, { ...ofPersistent, service })
  const budget = new Budget(parts, sessions)
  const availability = createAvailability(parts, sessions)
  const origins = createRunOrigins(parts, sessions)
  hubs.serve(sessions, service)
  const takeUp = createTakeUp(parts, {
    sessions,
    owners: [scheduled, ready, shelf.runner],
    runs,
  })
  parts.activity.add(() => prefillActivity(sessions.all()))

  return {
    sessions,
    knownGames: () => ready.known(),
    onReadyNews: (listener: (news: ReadyNews) => void) => ready.onNews(listener),
    start() {
      for (const part of [takeUp, runs, origins, recovery, watch, scheduled, ready]) part.start()
      for (const part of [shelf, shelf.runner, budget, availability]) part.start()
    },
    /** Ends sessions and daemons, except those that outlive the service. */
    async stop(): Promise<void> {
      availability.stop()
      budget.stop()
      shelf.stop()
      shelf.runner.stop()
      ready.stop()
      scheduled.stop()
      watch.stop()
      await recovery.stop()
      hubs.stop()
    },
    routes: (access: RouteAccess) => (app: Elysia) => {
      const deps = { ...parts, ...access }
      return app
        .use(overviewRoutes(deps, { sessions, availability }))
        .use(bandwidthRoutes(deps, budget))
        .use(platformRoutes(deps, { sessions, service, runs }))
        .use(administrationRoutes(deps, administration))
        .use(prefillCacheRoutes(deps, administration))
        .use(banRoutes(deps, bans))
        .use(persistentRoutes(deps, persistents))
        .use(persistentRunRoutes(deps, persistents))
        .use(persistentLoginRoutes(deps, persistents))
        .use(storedLoginRoutes(deps, persistents))
        .use(validityRoutes(deps, persistent))
        .use(accountRoutes(deps, accounts))
        .use(scheduledPrefillRoutes(deps, scheduled))
        .use(namedScheduleRoutes(deps, named))
        .use(readyRoutes(deps, ready))
        .use(shelfRoutes(deps, shelf))
    },
    hubRoutes: (access: RouteAccess) => platformHubRoutes({ ...parts, ...access }, hubs.hubs),
  }
}

export type PrefillGroup = ReturnType<typeof createPrefillGroup>
