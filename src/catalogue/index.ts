import { Elysia } from 'elysia'
import type { RouteAccess } from '../core/http/access.ts'
import { createSoon } from '../core/lib/soon.ts'
import { createBeta } from './beta/create.ts'
import { betaRoutes } from './beta/routes.ts'
import { betaService } from './beta/service.ts'
import { createDepots } from './depots/create.ts'
import { createNewDepots } from './depots/new-depots.ts'
import { depotRoutes } from './depots/routes.ts'
import { scheduleDepots } from './depots/schedule.ts'
import { createDepotService } from './depots/service.ts'
import { imageRoutes } from './images/routes.ts'
import { createImages } from './images/service.ts'
import { createEpsilon } from './epsilon/create.ts'
import { epsilonRoutes } from './epsilon/routes.ts'
import { epsilonService } from './epsilon/service.ts'
import type { CatalogueParts } from './parts.ts'
import { refreshRoutes } from './refresh-routes.ts'

/** Names arrive in bursts; a run of images looks at all of them. */
const imagesDelayMs = 1000
const imagesGapMs = 5000

/** What downloads are called: Steam's depots, and games of Epic and Xbox accounts. */
export function createCatalogueGroup(parts: CatalogueParts) {
  const depots = createDepots(parts)
  const newDepots = createNewDepots(parts, depots)
  const images = createImages(parts, () => beta.refreshImages())
  const imagesSoon = createSoon({
    timers: parts.timers,
    delayMs: imagesDelayMs,
    gapMs: imagesGapMs,
    run: () => images.fetchMissing(),
  })
  const listeners: (() => void)[] = []
  const named = () => {
    for (const listener of listeners) listener()
  }
  const beta = createBeta(parts, named)
  const epsilon = createEpsilon(parts, named)
  /** The listener is called after downloads got other names. */
  const onNames = (listener: () => void): void => {
    depots.onNames(listener)
    listeners.push(listener)
  }
  return {
    onNames,
    /** The listener is called when a platform has ended the sign-in of the installation. */
    onSignInLost(listener: (platform: 'beta' | 'epsilon') => void) {
      beta.account.onEnded(() => listener('beta'))
      epsilon.account.onEnded(() => listener('epsilon'))
    },
    hasMappings: () => depots.hasMappings(),
    /** Starts a crawl: of the changes where that is possible, of all apps otherwise. */
    async searchNames() {
      if (depots.active() !== null) return
      const { changeNumber } = await parts.catalogue.status()
      depots.begin(changeNumber > 0 ? 'incremental' : 'full')
    },
    /** Fetches missing images of games in the background. */
    fetchImages: () => void images.fetchMissing(),
    discardImages: () => images.discard(),
    isMapping: () => depots.active() !== null,
    start() {
      scheduleDepots(parts, depots)
      newDepots.start()
      images.start()
      onNames(imagesSoon.request)
      parts.logs.onNewTitles(imagesSoon.request)
      beta.start()
      epsilon.start()
    },
    stop() {
      imagesSoon.stop()
      newDepots.stop()
      depots.stop()
      beta.stop()
      epsilon.stop()
    },
    routes(access: RouteAccess) {
      const service = createDepotService(parts, depots)
      const deps = { ...parts, ...access }
      const services = { beta: betaService(parts, beta), epsilon: epsilonService(parts, epsilon) }
      return new Elysia({ name: 'catalogue' })
        .use(depotRoutes(deps, service))
        .use(imageRoutes(deps, images))
        .use(betaRoutes(deps, services.beta))
        .use(epsilonRoutes(deps, services.epsilon))
        .use(refreshRoutes(deps, services))
    },
  }
}

export type CatalogueGroup = ReturnType<typeof createCatalogueGroup>
