import { routesAt } from '../../core/http/access.ts'
import { allowSeconds } from '../../core/http/long-call.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import type { SystemRouteParts } from '../parts.ts'
import * as model from './model.ts'
import type { Migration } from './service.ts'

/** Until the next batch; an import answers when it is over. */
const batchSeconds = 250
/** Reaching the other server, and counting its downloads. */
const checkSeconds = 60

export const migrationRoutes = (deps: SystemRouteParts, migration: Migration) =>
  routesAt(deps.access, 'System', '/api/migration')
    .get('/validate-connection', ({ query }) => migration.check(query.connectionString ?? ''), {
      access: 'admin',
      idleSeconds: checkSeconds,
      query: model.ConnectionQuery,
      response: { 200: model.ConnectionCheck, 400: ErrorBody },
      detail: { summary: 'Try a connection to another database' },
    })
    .post(
      '/import-service',
      ({ body, request, server }) => {
        const keepOpen = () => allowSeconds(server, request, batchSeconds)
        const wanted = {
          connectionString: body.connectionString ?? '',
          batchSize: body.batchSize ?? model.batchRows.usual,
          overwrites: body.overwriteExisting ?? false,
          takesOverlap: body.overlap === 'import',
        }
        return migration.importFrom(wanted, keepOpen)
      },
      {
        access: 'admin',
        idleSeconds: batchSeconds,
        body: example(model.ImportBody, {
          connectionString:
            'Host=db.lan;Port=5432;Database=old;Username=reader;Password=its password',
          batchSize: 1000,
        }),
        response: { 200: model.ImportOutcome, 400: ErrorBody, 409: ErrorBody, 503: ErrorBody },
        detail: {
          summary: "Import historical download rows from another instance's database",
        },
      },
    )
    .get('/import/status', () => migration.status(), {
      access: 'admin',
      response: { 200: model.ImportStatus },
      detail: { summary: 'Progress of the import' },
    })
