/*
 * What downloads are called: which game a title belongs to, names given by hand, which apps share
 * a depot, runs that read Steam's depots (`depots/`), Steam's Web API. It owns no thread.
 * `contract.ts` is used by `cache`, and by `access` for checking and using a Steam Web API key.
 *
 * Titles are joined, not written into rows. Rows carry a title key; the name is in `titles`. A
 * name that is learnt today names the downloads of last year without touching them.
 *
 * Names given by hand win. They are stored in `state.sqlite` and written to the history's titles,
 * also after an outage; catalogues never overwrite them.
 *
 * Names come without a click. The first run starts a minute after the first start, also before the
 * set-up; later starts run at once. Unless `Alpha__DepotListUrl` names a list, Steam is asked about
 * the depots that have no game, of downloads and of the cache, which its detection adds to the
 * titles: new ones within seconds to two minutes, each once per process, and all of them with every
 * regular run. With a list, new downloads are named from what is stored; they
 * request it only where nothing is stored yet. Without the internet a run fails with one line in
 * the log and on the page of the integrations; everything else goes on.
 *
 * Names from accounts. Downloads of Epic and Xbox carry no names: only the library of an account
 * says which base path or package belongs to which game. `beta/` and `epsilon/` each hold one
 * sign-in (refresh token and device key sealed, all other tokens in memory), a job that collects,
 * and a store in `state.sqlite`. A run stores each answer at once and asks only for what is
 * missing: names again after 30 days, base paths of new builds, content ids after a week; lists
 * with their ETag. Base paths and fragments of old builds stay, because downloads of the past have
 * them. They are written to the history's titles in slices, also for content without downloads and
 * again whenever the history becomes available; the log engine reads them for titles that the
 * history does not have yet. Without a sign-in nobody is asked.
 *
 * One refusal ends a sign-in, an outage does not. A refresh token is deleted only when the
 * platform refuses it. Steam's leaves the account's name, so that pages and notifications can ask
 * for it again; names are read without an account meanwhile. After a sign-out, an answer that was
 * on its way is not stored. Requests with tokens follow no redirects; errors name the host and
 * never what was sent or answered.
 *
 * Epic and Xbox in one call or two. Epic's code is exchanged and the library collected in one
 * call, as the API documents it; after four minutes it answers while the job goes on. Xbox' code
 * is approved on another device: a job asks Microsoft at the interval it was given. A new sign-in
 * supersedes one that waits.
 */
import type { Elysia } from 'elysia'
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
    routes: (access: RouteAccess) => (app: Elysia) => {
      const service = createDepotService(parts, depots)
      const deps = { ...parts, ...access }
      const services = { beta: betaService(parts, beta), epsilon: epsilonService(parts, epsilon) }
      return app
        .use(depotRoutes(deps, service))
        .use(imageRoutes(deps, images))
        .use(betaRoutes(deps, services.beta))
        .use(epsilonRoutes(deps, services.epsilon))
        .use(refreshRoutes(deps, services))
    },
  }
}

export type CatalogueGroup = ReturnType<typeof createCatalogueGroup>
