import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import {
  LogInfo,
  LogPositionResponse,
  PositionChange,
  ProcessStarted,
  ProcessStatus,
} from './model.ts'
import { SourcePositions } from '../../engines/logs/wire.ts'
import { createLogs } from './service.ts'

const OneDatasource = t.Object({ datasourceName: t.String({ minLength: 1, maxLength: 100 }) })

export const logRoutes = (deps: DownloadsRouteParts) => {
  const service = createLogs(deps)
  return routesAt(deps.access, 'Downloads and Reporting', '/api/logs')
    .get('', () => service.info(), {
      access: 'account',
      response: { 200: LogInfo },
      detail: { summary: 'Path of the access log and whether it exists' },
    })
    .get('/positions', () => service.positions(), {
      access: 'account',
      response: { 200: Type.Array(SourcePositions) },
      detail: { summary: 'Read positions of all datasources' },
    })
    .patch('/position', ({ body }) => service.move(null, body), {
      access: 'account',
      body: example(PositionChange, { position: 0 }),
      response: { 200: LogPositionResponse, 409: ErrorBody },
      detail: { summary: 'Move the read position to the beginning or the end' },
    })
    .patch(
      '/position/:datasourceName',
      ({ params, body }) => service.move(params.datasourceName, body),
      {
        access: 'account',
        params: OneDatasource,
        body: example(PositionChange, { reset: true }),
        response: { 200: LogPositionResponse, 404: ErrorBody, 409: ErrorBody },
        detail: { summary: "Move one datasource's read position to the beginning or the end" },
      },
    )
    .post('/process', ({ status }) => status(202, service.processAll()), {
      access: 'account',
      response: { 202: ProcessStarted },
      detail: { summary: "Process all datasources' logs from the current position" },
    })
    .post(
      '/process/:datasourceName',
      ({ params, status }) => status(202, service.processOne(params.datasourceName)),
      {
        access: 'account',
        params: OneDatasource,
        response: { 202: ProcessStarted, 404: ErrorBody },
        detail: { summary: "Process one datasource's logs from the current position" },
      },
    )
    .get('/process/status', () => service.processStatus(), {
      access: 'account',
      response: { 200: ProcessStatus },
      detail: { summary: 'Progress of log processing' },
    })
}
