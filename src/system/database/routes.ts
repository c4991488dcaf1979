import { Type } from '@sinclair/typebox'
import { routesAt } from '../../core/http/access.ts'
import type { LogEngine } from '../../engines/logs/contract.ts'
import { ErrorBody, example, Int, Nullable } from '../../core/http/schema.ts'
import { jobStatus } from '../../core/operations/scan-status.ts'
import type { SystemRouteParts } from '../parts.ts'
import { Queued } from '../../core/operations/contract.ts'
import type { DatabaseReset } from './reset.ts'

const LogEntriesCount = Type.Object({ count: Int })

/** Names in one request; unknown ones are ignored. */
const tablesMax = 100

const TablesBody = Type.Object({
  tables: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: tablesMax })),
})

const ResetStatus = Type.Object({
  ...jobStatus,
  tablesCleared: Nullable(Int),
  totalTables: Nullable(Int),
  filesDeleted: Nullable(Int),
})

const started = { 202: Queued, 503: ErrorBody }

/**
 * Requests counted by the log engine: there is no row per request. Works while the history is away.
 */
async function logEntriesCount(logs: LogEngine): Promise<number> {
  let count = 0
  for (const { byService } of await logs.countedRequests()) {
    for (const requests of Object.values(byService)) count += requests
  }
  return count
}

export const databaseRoutes = (deps: SystemRouteParts, reset: DatabaseReset) =>
  routesAt(deps.access, 'System', '/api/database')
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
