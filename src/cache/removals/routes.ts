import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { WhenAway } from '../away/away.ts'
import type { CacheRouteParts } from '../parts.ts'
import { ErrorBody, example, QueryFlag } from '../../core/http/schema.ts'
import {
  ActiveRemovals,
  GameRemovalStarted,
  PreviewBody,
  RemovalPreview,
  ServiceRemovalStarted,
} from './model.ts'
import type { Removals } from './service.ts'

const query = t.Object({ purgeLogs: QueryFlag, whenAway: WhenAway })
const gameName = t.String({ maxLength: 300 })
const service = t.String({ maxLength: 200, description: 'Name of a service, as in the access log' })
const failures = { 400: ErrorBody, 503: ErrorBody }

export const removalRoutes = (deps: CacheRouteParts, removals: Removals) =>
  routesAt(deps.access, 'Cache and Games')
    .get('/api/cache/removals/active', () => removals.active(), {
      access: 'account',
      response: { 200: ActiveRemovals },
      detail: { summary: 'Removals in progress, by kind' },
    })
    .delete(
      '/api/cache/services/:name',
      async (call) => call.status(202, await removals.removeService(call.params.name, call.query)),
      {
        access: 'account',
        params: t.Object({ name: service }),
        query,
        response: { 202: ServiceRemovalStarted, ...failures },
        detail: { summary: 'Delete every cache file of one service across datasources' },
      },
    )
    .delete(
      '/api/games/:appId',
      async (call) => call.status(202, await removals.removeAlpha(call.params.appId, call.query)),
      {
        access: 'account',
        params: t.Object({ appId: t.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
        query,
        response: { 202: GameRemovalStarted, ...failures },
        detail: { summary: 'Remove a game from the cache by app id' },
      },
    )
    .delete(
      '/api/games/beta/:gameName',
      async (call) => call.status(202, await removals.removeBeta(call.params.gameName, call.query)),
      {
        access: 'account',
        params: t.Object({ gameName }),
        query,
        response: { 202: GameRemovalStarted, ...failures },
        detail: { summary: 'Remove an Epic Games title by name' },
      },
    )
    .delete(
      '/api/games/named/:service/:gameName',
      async (call) => call.status(202, await removals.removeNamed(call.params, call.query)),
      {
        access: 'account',
        params: t.Object({ service, gameName }),
        query,
        response: { 202: GameRemovalStarted, ...failures },
        detail: { summary: 'Remove a named game of a name-keyed service' },
      },
    )
    .post('/api/ext/cache/removals/preview', ({ body }) => removals.preview(body), {
      access: 'account',
      body: example(PreviewBody, { kind: 'alpha', appId: 440 }),
      response: { 200: RemovalPreview, ...failures },
      detail: { summary: 'What a removal would delete from the cache; changes nothing' },
    })
