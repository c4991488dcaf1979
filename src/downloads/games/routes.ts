import type { Static } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { ErrorBody, QueryFlag, QueryInt, RowId, UnixSeconds } from '../../core/http/schema.ts'
import { retroFilters } from '../downloads/model.ts'
import { gameKeyAt } from '../reports/games.ts'
import type { Reports } from '../reports/reports.ts'
import { scopeOf, scopeQuery } from '../reports/scope.ts'
import { clientLines } from '../stats/client-lines.ts'
import { ClientLines } from '../stats/model.ts'
import {
  ClientReport,
  ClientTraffic,
  DownloadsSummary,
  GameReport,
  GameTraffic,
  ServiceReport,
  Traffic,
} from './model.ts'
import { createGameReport, gameTraffic } from './service.ts'
import { clientReport, clientTraffic, serviceReport, serviceTraffic } from './share-reports.ts'
import type { Summary } from './summary.ts'

const Name = t.String({ minLength: 1, maxLength: 200 })
const refusals = { 400: ErrorBody, 404: ErrorBody, 503: ErrorBody }
const query = t.Object({ includePrefill: QueryFlag })
const trafficQuery = t.Object({
  ...query.properties,
  startTime: UnixSeconds,
  endTime: UnixSeconds,
  eventId: t.Optional(RowId),
  bucketMinutes: QueryInt,
})
const game = t.Object({ service: Name, id: Name })

const questionOf = (asked: Static<typeof trafficQuery>) => ({
  scope: scopeOf(asked),
  bucketMinutes: asked.bucketMinutes,
})

const gameRoutes = (deps: DownloadsRouteParts, reports: Reports) => {
  const report = createGameReport(deps, reports)
  return routesAt(deps.access, 'Downloads and Reporting', '/api/ext/games')
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
      ({ params, query: asked }) =>
        gameTraffic(reports, gameKeyAt(params.service, params.id), questionOf(asked)),
      {
        access: 'session',
        params: game,
        query: trafficQuery,
        response: { 200: GameTraffic, ...refusals },
        detail: { summary: 'Bytes of one game over time' },
      },
    )
}

const lineRoutes = (deps: DownloadsRouteParts, reports: Reports) => {
  const lines = clientLines(deps, reports)
  return routesAt(deps.access, 'Downloads and Reporting').get(
    '/api/ext/clients/lines',
    ({ query: asked }) => lines(scopeOf(asked)),
    {
      access: 'account',
      query: t.Object(scopeQuery),
      response: { 200: ClientLines, ...refusals },
      detail: { summary: 'Bytes of each client over time, as small lines' },
    },
  )
}

interface ThingParts {
  reports: Reports
  summary: Summary
}

/** Reports about a single game, client or service. */
export const thingRoutes = (deps: DownloadsRouteParts, { reports, summary }: ThingParts) => {
  const parts = { deps, reports }
  return routesAt(deps.access, 'Downloads and Reporting')
    .use(gameRoutes(deps, reports))
    .use(lineRoutes(deps, reports))
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
      '/api/ext/clients/:ip/traffic',
      ({ params, query: asked }) => clientTraffic(parts, params.ip, questionOf(asked)),
      {
        access: 'account',
        params: t.Object({ ip: t.String({ maxLength: 100 }) }),
        query: trafficQuery,
        response: { 200: ClientTraffic, ...refusals },
        detail: { summary: 'Bytes of one client over time' },
      },
    )
    .get(
      '/api/ext/services/:service/traffic',
      ({ params, query: asked }) => serviceTraffic(parts, params.service, questionOf(asked)),
      {
        access: 'session',
        params: t.Object({ service: Name }),
        query: trafficQuery,
        response: { 200: Traffic, ...refusals },
        detail: { summary: 'Bytes of one service over time' },
      },
    )
    .get(
      '/api/ext/downloads/summary',
      ({ caller, query: asked }) => summary(asked, deps.names.isShownTo(caller)),
      {
        access: 'session',
        query: t.Object(retroFilters),
        response: { 200: DownloadsSummary, ...refusals },
        detail: { summary: 'Sums over a filtered view of the downloads' },
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
