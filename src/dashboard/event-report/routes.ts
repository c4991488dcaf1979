import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, RowId } from '../../core/http/schema.ts'
import type { DashboardRouteParts } from '../parts.ts'
import { EventReport } from './model.ts'
import { createEventReport } from './service.ts'

export const eventReportRoutes = (deps: DashboardRouteParts) => {
  const report = createEventReport(deps)
  return routesAt(deps.access, 'Downloads and Reporting', '/api/ext/events').get(
    '/:id/report',
    ({ params: { id }, caller, set }) => {
      set.headers['cache-control'] = 'no-store, private'
      return report(id, { hasNames: deps.names.isShownTo(caller), link: caller.link })
    },
    {
      access: 'session',
      shared: ['report'],
      params: t.Object({ id: RowId }),
      response: { 200: EventReport, 404: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Report of an event, also for its share links' },
    },
  )
}
