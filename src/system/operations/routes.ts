import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { SystemRouteParts } from '../parts.ts'
import { ErrorBody } from '../../core/http/schema.ts'
import {
  CancelledOperation,
  KilledOperation,
  OperationProgress,
  OperationsOverview,
  UnknownOperation,
  WaitingOperation,
} from './model.ts'
import { operationsService } from './service.ts'

/** Finished jobs per answer. */
const recentMax = 200
const recentDefault = 50

// Not a GUID schema: a validation failure would fall through to the dashboard instead of answering
// 400.
const IdParams = t.Object({ id: t.String() })

const RecentQuery = t.Object({
  limit: t.Integer({ minimum: 0, maximum: recentMax, default: recentDefault }),
  includeSilent: t.Boolean({ default: false }),
})

export const operationsRoutes = (deps: SystemRouteParts) => {
  const service = operationsService(deps.operations)
  return routesAt(deps.access, 'System', '/api/operations')
    .get('/waiting', () => service.waiting(), {
      access: 'account',
      response: { 200: Type.Array(WaitingOperation) },
      detail: { summary: 'Queued operations' },
    })
    .get('/:id', ({ params }) => service.progress(params.id), {
      access: 'account',
      params: IdParams,
      response: { 200: OperationProgress, 400: ErrorBody },
      detail: { summary: "Read an operation's progress" },
    })
    .post('/:id/cancel', ({ params }) => service.cancel(params.id), {
      access: 'account',
      params: IdParams,
      response: { 200: CancelledOperation, 400: ErrorBody, 404: UnknownOperation },
      detail: { summary: 'Cancel an operation' },
    })
    .post('/:id/force-kill', ({ params }) => service.forceKill(params.id), {
      access: 'account',
      params: IdParams,
      response: { 200: KilledOperation, 400: ErrorBody, 404: UnknownOperation },
      detail: { summary: 'Kill an operation that did not react to being cancelled' },
    })
}

/** Addition to the API: the dashboard's operations drawer in one answer. */
export const operationsDrawerRoutes = (deps: SystemRouteParts) => {
  const service = operationsService(deps.operations)
  return routesAt(deps.access, 'System', '/api/ext').get(
    '/operations',
    ({ query }) => service.overview(query),
    {
      access: 'account',
      query: RecentQuery,
      response: { 200: OperationsOverview },
      detail: { summary: 'Running, queued and recent operations' },
    },
  )
}
