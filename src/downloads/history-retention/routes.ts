import { Type } from '@sinclair/typebox'
import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, example, Flag, Text } from '../../core/http/schema.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { HistoryRetention, HistoryRetentionBody, HistoryRetentionPreview } from './model.ts'
import type { HistoryRetentionService } from './service.ts'

const Started = Type.Object({ operationId: Text, alreadyRunning: Flag })

/** How long single downloads are kept. */
export const historyRetentionRoutes = (
  deps: DownloadsRouteParts,
  retention: HistoryRetentionService,
) =>
  routesAt(deps.access, 'Downloads and Reporting', '/api/ext/history/retention')
    .get('', () => retention.status(), {
      access: 'account',
      response: { 200: HistoryRetention },
      detail: { summary: 'How many months of downloads are kept, and since when all are there' },
    })
    .get('/preview', () => retention.preview(), {
      access: 'account',
      response: { 200: HistoryRetentionPreview, 503: ErrorBody },
      detail: { summary: 'What a run would delete now' },
    })
    .put('', ({ body }) => retention.save(body.keepMonths), {
      access: 'account',
      body: example(HistoryRetentionBody, { keepMonths: 24 }),
      response: { 200: HistoryRetention },
      detail: { summary: 'Change how many months are kept' },
    })
    .post('/run', ({ status }) => status(202, retention.run()), {
      access: 'account',
      response: { 202: Started, 409: ErrorBody },
      detail: { summary: 'Delete downloads of older months now; sums stay' },
    })
