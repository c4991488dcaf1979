import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { datasourceNamed } from '../../core/http/datasource-named.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { ErrorBody, MessageResponse } from '../../core/http/schema.ts'
import { createRemoval } from './removal.ts'
import { RemovalStarted, RemovalStatus } from './removal-model.ts'
import { ReopenAvailability, ReopenOutcome } from '../../engines/proxy/contract.ts'

const name = t.String({ minLength: 1, maxLength: 100 })
const OneDatasource = t.Object({ datasourceName: name })
const OneService = t.Object({ datasourceName: name, service: name })

/** Removal of log lines and log files. */
export const logRemovalRoutes = (deps: DownloadsRouteParts) => {
  const service = createRemoval(deps, (name) => datasourceNamed(deps.config, name))
  return routesAt(deps.access, 'Downloads and Reporting', '/api/logs')
    .get('/remove/status', () => service.removalStatus(), {
      access: 'account',
      response: { 200: RemovalStatus },
      detail: { summary: 'Progress of a log removal' },
    })
    .delete(
      '/datasources/:datasourceName/file',
      ({ params }) => service.deleteFile(params.datasourceName),
      {
        access: 'account',
        params: OneDatasource,
        response: { 200: MessageResponse, 400: ErrorBody, 404: ErrorBody, 409: ErrorBody },
        detail: { summary: 'Delete the whole access log file of a datasource' },
      },
    )
    .delete(
      '/datasources/:datasourceName/services/:service',
      async ({ params, status }) =>
        status(202, await service.removeService(params.datasourceName, params.service)),
      {
        access: 'account',
        params: OneService,
        response: { 202: RemovalStarted, 400: ErrorBody, 404: ErrorBody },
        detail: { summary: 'Remove the log lines of one service from one datasource' },
      },
    )
}

/** Reopening of the proxy's logs. */
export const logReopenRoutes = (deps: DownloadsRouteParts) =>
  routesAt(deps.access, 'Downloads and Reporting', '/api/ext/logs/reopen')
    .get('', () => deps.proxy.availability(), {
      access: 'account',
      response: { 200: ReopenAvailability },
      detail: { summary: 'Whether and how the proxy can be made to reopen its logs' },
    })
    .post('', () => deps.proxy.reopenLogs(), {
      access: 'account',
      response: { 200: ReopenOutcome },
      detail: { summary: 'Make the proxy reopen its logs' },
    })
