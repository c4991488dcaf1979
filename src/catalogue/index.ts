import { Elysia } from 'elysia'
import type { RouteAccess } from '../core/http/access.ts'
import { createDepots } from './depots/create.ts'
import { depotRoutes } from './depots/routes.ts'
import { scheduleDepots } from './depots/schedule.ts'
import { createDepotService } from './depots/service.ts'
import { imageRoutes } from './images/routes.ts'
import { createImages } from './images/service.ts'
import type { CatalogueParts } from './parts.ts'

/** What downloads are called: Steam's depots, and room for the mappings of other platforms. */
export function createCatalogueGroup(parts: CatalogueParts) {
  const depots = createDepots(parts)
  const images = createImages(parts)
  return {
    /** Called after downloads got other names. */
    onNames: (listener: () => void) => depots.onNames(listener),
    hasMappings: () => depots.hasMappings(),
    /** Starts a crawl: of the changes where that is possible, of all apps otherwise. */
    async searchNames() {
      if (depots.active() !== null) return
      const { changeNumber } = await parts.catalogue.status()
      depots.begin(changeNumber > 0 ? 'incremental' : 'full')
    },
    /** Fetches missing images of games in the background. */
    fetchImages: () => images.fetchSoon(),
    isMapping: () => depots.active() !== null,
    start() {
      depots.start()
      scheduleDepots(parts, depots)
      images.start()
      depots.onNames(() => images.fetchSoon())
    },
    stop: () => depots.stop(),
    routes(access: RouteAccess) {
      const service = createDepotService(parts, depots)
      const deps = { ...parts, ...access }
      return new Elysia({ name: 'catalogue' })
        .use(depotRoutes(deps, service))
        .use(imageRoutes(deps, images))
    },
  }
}

export type CatalogueGroup = ReturnType<typeof createCatalogueGroup>
