import { Type } from '@sinclair/typebox'
import { routesAt } from '../../core/http/access.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { ErrorBody } from '../../core/http/schema.ts'
import { countWaitMs, createCounts } from './counts.ts'
import { DatasourceCounts, ServiceCounts } from './model.ts'

const countSeconds = countWaitMs / 1000 + 10

/** Counts lines currently in the log files; the first answer may have to read whole logs. */
export const logCountRoutes = (deps: DownloadsRouteParts) => {
  const counts = createCounts(deps)
  return routesAt(deps.access, 'Downloads and Reporting', '/api/logs/service-counts')
    .get('', ({ request }) => counts.byService(request.signal), {
      access: 'account',
      idleSeconds: countSeconds,
      response: { 200: ServiceCounts, 503: ErrorBody },
      detail: { summary: 'Lines in the log files by service across datasources' },
    })
    .get('/by-datasource', ({ request }) => counts.byDatasource(request.signal), {
      access: 'account',
      idleSeconds: countSeconds,
      response: { 200: Type.Array(DatasourceCounts), 503: ErrorBody },
      detail: { summary: 'Lines in the log files by service for each datasource' },
    })
}
