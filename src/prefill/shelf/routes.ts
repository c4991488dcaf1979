import { routesAt } from '../../core/http/access.ts'
import { done, Empty, ErrorBody, example } from '../../core/http/schema.ts'
import type { PrefillRouteParts } from '../parts.ts'
import { appIdsBytesMax, QueuedRun } from '../sessions/model.ts'
import { PickBody, Shelf, ShelfPlan, ShelfRun } from './model.ts'
import type { PrefillShelf } from './service.ts'

const prefix = '/api/ext/prefill/shelf'
const pick = example(PickBody, { games: [{ platform: 'alpha', appId: '730' }] })

/** The run that fetches them. */
const shelfRunRoutes = (deps: PrefillRouteParts, shelf: PrefillShelf) =>
  routesAt(deps.access, 'Prefill', '/run')
    .get('', () => shelf.runner.view(), {
      access: 'account',
      response: { 200: ShelfRun },
      detail: { summary: 'Games that are being fetched, and how those before ended' },
    })
    .post('', ({ body, status }) => status(202, shelf.prefill(body)), {
      access: 'account',
      body: pick,
      bodyBytesMax: appIdsBytesMax,
      response: { 202: QueuedRun, 400: ErrorBody, 404: ErrorBody },
      detail: { summary: 'Fetch games on all platforms that are needed; a run takes more games' },
    })
    .delete('', () => done(shelf.runner.clear()), {
      access: 'account',
      response: { 200: Empty },
      detail: { summary: 'Cancel the run; without one, forget what has ended' },
    })

/** The games of all accounts, and what it takes to fetch some of them. */
export const shelfRoutes = (deps: PrefillRouteParts, shelf: PrefillShelf) =>
  routesAt(deps.access, 'Prefill', prefix)
    .get('', () => shelf.view(), {
      access: 'account',
      response: { 200: Shelf },
      detail: { summary: 'Games of all accounts of all platforms, each once' },
    })
    .post('/open', () => done(shelf.open()), {
      access: 'account',
      response: { 200: Empty },
      detail: {
        summary: 'Start the sessions of platforms that need no sign-in',
        description: 'Those that nobody uses for 15 minutes end by themselves.',
      },
    })
    .post('/plan', ({ body }) => shelf.plan(body), {
      access: 'account',
      body: pick,
      bodyBytesMax: appIdsBytesMax,
      response: { 200: ShelfPlan, 400: ErrorBody },
      detail: {
        summary: 'Size, time and room of a choice of games',
        description: 'Sizes that are not known are asked for meanwhile; call it again.',
      },
    })
    .use(shelfRunRoutes(deps, shelf))
