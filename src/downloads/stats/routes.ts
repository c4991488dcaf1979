import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { ErrorBody, QueryFlag } from '../../core/http/schema.ts'
import type { Reports } from '../reports/reports.ts'
import { scopeOf, scopeQuery } from '../reports/scope.ts'
import { sinceStart } from '../reports/since.ts'
import { ClientStats, DashboardStats, ServiceStats } from './model.ts'
import type { Stats } from './service.ts'

const refusals = { 400: ErrorBody, 404: ErrorBody, 503: ErrorBody }

export const statsRoutes = (
  deps: DownloadsRouteParts,
  { reports, stats }: { reports: Reports; stats: Stats },
) =>
  routesAt(deps.access, 'Downloads and Reporting', '/api/stats')
    .get(
      '/dashboard',
      async ({ query }) => {
        const scope = scopeOf(query)
        await reports.checkEvent(scope.eventId)
        return stats.dashboard(scope)
      },
      {
        access: 'session',
        query: t.Object(scopeQuery),
        response: { 200: DashboardStats, ...refusals },
        detail: { summary: 'Headline figures of the dashboard' },
      },
    )
    .get(
      '/services',
      async ({ query }) => {
        const start = query.endTime === undefined ? sinceStart(query.since, deps.clock.now()) : null
        const scope = scopeOf(start === null ? query : { ...query, startTime: start })
        await reports.checkEvent(scope.eventId)
        return stats.services(scope)
      },
      {
        access: 'session',
        query: t.Object({ ...scopeQuery, since: t.Optional(t.String({ maxLength: 20 })) }),
        response: { 200: Type.Array(ServiceStats), ...refusals },
        detail: { summary: 'Totals per service' },
      },
    )
    .get(
      '/clients',
      async ({ query }) => {
        const { maxPerRequest, defaultLimit } = deps.config.clients
        const scope = scopeOf(query)
        await reports.checkEvent(scope.eventId)
        const limit = Math.min(query.limit ?? defaultLimit, maxPerRequest)
        const hasNames = deps.names.isOn()
        const { includeExcluded, mergeGroups } = query
        return (await stats.clients(scope, { limit, includeExcluded, mergeGroups, hasNames })).rows
      },
      {
        access: 'account',
        query: t.Object({
          ...scopeQuery,
          limit: t.Optional(t.Integer({ minimum: 1 })),
          includeExcluded: QueryFlag,
          mergeGroups: QueryFlag,
        }),
        response: { 200: Type.Array(ClientStats), ...refusals },
        detail: { summary: 'Totals per client, ranked by total bytes' },
      },
    )
