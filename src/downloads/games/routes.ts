import { Elysia, t } from 'elysia'
import type { DownloadsRouteParts } from '../parts.ts'
import { ErrorBody, QueryFlag, QueryInt, UnixSeconds } from '../../core/http/schema.ts'
import { gameKeyAt } from '../reports/games.ts'
import type { Reports } from '../reports/reports.ts'
import { scopeOf } from '../reports/scope.ts'
import { ClientReport, GameReport, GameTraffic, ServiceReport } from './model.ts'
import { createGameReport, gameTraffic } from './service.ts'
import { clientReport, serviceReport } from './share-reports.ts'

const Name = t.String({ minLength: 1, maxLength: 200 })
const refusals = { 400: ErrorBody, 404: ErrorBody, 503: ErrorBody }
const query = t.Object({ includePrefill: QueryFlag })
const tags = ['Downloads and Reporting']
const game = t.Object({ service: Name, id: Name })

const gameRoutes = (deps: DownloadsRouteParts, reports: Reports) => {
  const report = createGameReport(deps, reports)
  return new Elysia({ name: 'downloads/games/one', prefix: '/api/ext/games', tags })
    .use(deps.access)
    .get(
      '/:service/:id',
      ({ caller, params, query: asked }) => {
        const key = gameKeyAt(params.service, params.id)
        return report(key, scopeOf(asked), deps.names.isShownTo(caller))
      },
      {
        access: 'session',
        params: game,
        query,
        response: { 200: GameReport, ...refusals },
        detail: { summary: 'Report of one game' },
      },
    )
    .get(
      '/:service/:id/traffic',
      ({ params, query: asked }) => {
        const key = gameKeyAt(params.service, params.id)
        const { bucketMinutes } = asked
        return gameTraffic(reports, { key, scope: scopeOf(asked), bucketMinutes })
      },
      {
        access: 'session',
        params: game,
        query: t.Object({
          ...query.properties,
          startTime: UnixSeconds,
          endTime: UnixSeconds,
          bucketMinutes: QueryInt,
        }),
        response: { 200: GameTraffic, ...refusals },
        detail: { summary: 'Bytes of one game over time' },
      },
    )
}

/** Reports about a single game, client or service. */
export const thingRoutes = (deps: DownloadsRouteParts, reports: Reports) => {
  const parts = { deps, reports }
  return new Elysia({ name: 'downloads/games', prefix: '', tags })
    .use(gameRoutes(deps, reports))
    .use(deps.access)
    .get(
      '/api/ext/clients/:ip',
      ({ caller, params, query: asked }) =>
        clientReport(parts, params.ip, {
          scope: scopeOf(asked),
          hasNames: deps.names.isShownTo(caller),
        }),
      {
        access: 'account',
        params: t.Object({ ip: t.String({ maxLength: 100 }) }),
        query,
        response: { 200: ClientReport, ...refusals },
        detail: { summary: 'Report of one client' },
      },
    )
    .get(
      '/api/ext/services/:service',
      ({ caller, params, query: asked }) =>
        serviceReport(parts, params.service, {
          scope: scopeOf(asked),
          hasNames: deps.names.isShownTo(caller),
        }),
      {
        access: 'session',
        params: t.Object({ service: Name }),
        query,
        response: { 200: ServiceReport, ...refusals },
        detail: { summary: 'Report of one service' },
      },
    )
}
