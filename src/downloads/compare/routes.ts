import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { ErrorBody, QueryFlag, QueryInt, UnixSeconds } from '../../core/http/schema.ts'
import type { Reports } from '../reports/reports.ts'
import { scopeOf } from '../reports/scope.ts'
import { EventComparison } from './model.ts'
import { comparedIds, createComparison } from './service.ts'

export const compareRoutes = (deps: DownloadsRouteParts, reports: Reports) => {
  const compare = createComparison(deps, reports)
  return routesAt(deps.access, 'Downloads and Reporting', '/api/ext/events').get(
    '/compare',
    ({ query }) => compare(comparedIds(query.ids ?? ''), scopeOf(query), query.bucketMinutes),
    {
      access: 'session',
      query: t.Object({
        ids: t.Optional(t.String({ maxLength: 200 })),
        bucketMinutes: QueryInt,
        startTime: UnixSeconds,
        endTime: UnixSeconds,
        includePrefill: QueryFlag,
      }),
      response: { 200: EventComparison, 400: ErrorBody, 404: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Compare events by the time since each began' },
    },
  )
}
