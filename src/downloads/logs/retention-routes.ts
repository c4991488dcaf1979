import { Type } from '@sinclair/typebox'
import { routesAt } from '../../core/http/access.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { ErrorBody, example, Flag, Text } from '../../core/http/schema.ts'
import { createLogRetention } from './retention.ts'
import { LogRetentionSettings, LogRetentionSource } from '../../engines/logs/log-retention/wire.ts'
import { ReopenAvailability } from '../../engines/proxy/contract.ts'

const Status = Type.Object({
  isEnabled: Flag,
  reopen: ReopenAvailability,
  datasources: Type.Array(LogRetentionSource),
})
const Started = Type.Object({ operationId: Text, alreadyRunning: Flag })

/** Automatic log rotation and retention; disabled by default. */
export const logRetentionRoutes = (deps: DownloadsRouteParts) => {
  const retention = createLogRetention(deps)
  return routesAt(deps.access, 'Downloads and Reporting', '/api/ext/logs/retention')
    .get('', () => retention.settings(), {
      access: 'account',
      response: { 200: LogRetentionSettings },
      detail: { summary: 'Log rotation and retention settings' },
    })
    .put('', ({ body }) => retention.save(body), {
      access: 'account',
      body: example(LogRetentionSettings, {
        isEnabled: true,
        rotateAboveMib: 512,
        rotateAfterDays: null,
        compresses: true,
        keepDays: 90,
        keepGib: null,
      }),
      response: { 200: LogRetentionSettings },
      detail: { summary: 'Change the log rotation and retention settings' },
    })
    .get('/status', () => retention.status(), {
      access: 'account',
      response: { 200: Status },
      detail: {
        summary: 'Read state of each log file, and what rotation and retention would do with it',
      },
    })
    .post('/run', ({ status }) => status(202, retention.start()), {
      access: 'account',
      response: { 202: Started, 409: ErrorBody },
      detail: { summary: 'Apply log rotation and retention now' },
    })
}
