import { Elysia } from 'elysia'
import type { SystemRouteParts } from '../parts.ts'
import { LogEntriesCount } from './model.ts'
import { logEntriesCount } from './service.ts'

export const databaseRoutes = (deps: SystemRouteParts) =>
  new Elysia({ name: 'system/database', prefix: '/api/database', tags: ['System'] })
    .use(deps.access)
    .get('/log-entries-count', async () => ({ count: await logEntriesCount(deps.logs) }), {
      access: 'account',
      response: { 200: LogEntriesCount },
      detail: { summary: 'Number of log entries in the database' },
    })
