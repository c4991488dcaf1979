import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, RowId } from '../../core/http/schema.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { Bottleneck, BottleneckNow } from './model.ts'
import type { Reports } from '../reports/reports.ts'
import { createBottleneckNow } from './now.ts'
import { bottleneckOf } from './service.ts'

/** One reading of the ends of logs. */
const readSeconds = 60

export function bottleneckRoutes(deps: DownloadsRouteParts, reports: Reports) {
  const now = createBottleneckNow(deps, reports)
  return routesAt(deps.access, 'Downloads and Reporting', '/api/ext')
    .get('/downloads/:id/bottleneck', ({ params }) => bottleneckOf(deps, reports, params.id), {
      access: 'account',
      idleSeconds: readSeconds,
      params: t.Object({ id: RowId }),
      response: { 200: Bottleneck, 404: ErrorBody, 503: ErrorBody },
      detail: { summary: 'What limited the speed of one download, with the figures that say so' },
    })
    .get('/bottleneck/now', () => now(), {
      access: 'account',
      idleSeconds: readSeconds,
      response: { 200: BottleneckNow, 503: ErrorBody },
      detail: { summary: 'What limits the current downloads' },
    })
}
