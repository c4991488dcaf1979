import { Elysia } from 'elysia'
import { ErrorBody, example } from '../../core/http/schema.ts'
import type { SystemRouteParts } from '../parts.ts'
import { Queued } from '../../core/operations/contract.ts'
import { LogEntriesCount, ResetStatus, TablesBody } from './model.ts'
import type { DatabaseReset } from './reset.ts'
import { logEntriesCount } from './service.ts'

const started = { 202: Queued, 503: ErrorBody }

export const databaseRoutes = (deps: SystemRouteParts, reset: DatabaseReset) =>
  new Elysia({ name: 'system/database', prefix: '/api/database', tags: ['System'] })
    .use(deps.access)
    .get('/log-entries-count', async () => ({ count: await logEntriesCount(deps.logs) }), {
      access: 'account',
      response: { 200: LogEntriesCount },
      detail: { summary: 'Number of log entries in the database' },
    })
    .get('/reset-status', () => reset.status(), {
      access: 'account',
      response: { 200: ResetStatus },
      detail: { summary: 'Progress of a database reset' },
    })
    .delete('', ({ status }) => status(202, reset.all()), {
      access: 'account',
      response: started,
      detail: { summary: 'Wipe every table' },
    })
    .delete('/tables', ({ body, status }) => status(202, reset.some(body.tables ?? [])), {
      access: 'account',
      body: example(TablesBody, { tables: ['Downloads'] }),
      response: { ...started, 400: ErrorBody },
      detail: {
        summary: 'Wipe the named tables only',
        description:
          'Downloads, ClientStats, ServiceStats and LogEntries are one set: naming Downloads clears all of ' +
          'them, with LogEntries the existing logs are counted again, the others need Downloads.',
      },
    })
