import { t } from 'elysia'
import { routesAt } from '../core/http/access.ts'
import type { DashboardRouteParts } from './parts.ts'
import { ErrorBody } from '../core/http/schema.ts'
import { scopeOf, scopeQuery } from '../downloads/contract.ts'
import { DashboardBatch } from './model.ts'
import type { Dashboard } from './service.ts'

export const dashboardRoutes = (deps: DashboardRouteParts, dashboard: Dashboard) =>
  routesAt(deps.access, 'Downloads and Reporting', '/api/dashboard').get(
    '/batch',
    ({ caller, query, set }) => {
      set.headers['cache-control'] = 'no-store, private'
      return dashboard.batch(scopeOf(query), deps.names.isShownTo(caller))
    },
    {
      access: 'session',
      query: t.Object(scopeQuery),
      response: { 200: DashboardBatch, 400: ErrorBody, 404: ErrorBody },
      detail: { summary: 'Everything the dashboard shows, in one answer' },
    },
  )
