import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { holderOf, type Caller } from '../../core/caller.ts'
import { ErrorBody, FileOf, QueryFlag, RowId } from '../../core/http/schema.ts'
import { retroFilters } from '../downloads/model.ts'
import type { Reports } from '../reports/reports.ts'
import { scopeOf, scopeQuery } from '../reports/scope.ts'
import type { Stats } from '../stats/service.ts'
import { clientColumns } from './columns.ts'
import { Exports, type ExportQuestion } from './service.ts'

/** Clients per file. */
const clientsMax = 100_000
/** No limit: ten million rows may have to be sorted before the first one is sent. */
const silentSeconds = 0

const format = t.Optional(t.String({ maxLength: 20, description: 'csv (usual) or json' }))
const refusals = { 400: ErrorBody, 404: ErrorBody, 429: ErrorBody, 503: ErrorBody }
const file = {
  withAddress: true as const,
  idleSeconds: silentSeconds,
  response: { 200: FileOf('text/csv', 'application/json'), ...refusals },
}

interface Call {
  request: Request
  caller: Caller
  address: string | null
  query: { format?: string | undefined }
}

function questionOf({ request, caller, address, query }: Call, name: string): ExportQuestion {
  const { signal } = request
  return { holder: holderOf(caller, address), signal, format: query.format, name }
}

/** Exports of whole lists as files. */
export function exportRoutes(
  deps: DownloadsRouteParts,
  { reports, stats }: { reports: Reports; stats: Stats },
) {
  const files = new Exports(deps, { reports })
  return routesAt(deps.access, 'Downloads and Reporting', '/api/ext')
    .get(
      '/downloads/export',
      (call) => files.downloads(questionOf(call, 'downloads'), call.query),
      {
        access: 'session',
        query: t.Object({ ...retroFilters, format }),
        ...file,
        detail: { summary: 'Export all matching downloads as CSV or JSON' },
      },
    )
    .get(
      '/clients/export',
      async (call) => {
        const scope = scopeOf(call.query)
        await reports.checkEvent(scope.eventId)
        const hasNames = deps.names.isOn()
        const { rows } = await stats.clients(scope, { limit: clientsMax, hasNames })
        const devices = await deps.devices.list()
        const kinds = new Map(devices.map(({ clientIp, kind }) => [clientIp, kind]))
        return files.table(questionOf(call, 'clients'), {
          columns: clientColumns,
          rows: rows.map(({ groupMemberIps, ...row }) => ({
            ...row,
            groupMemberIps: groupMemberIps?.join(' ') ?? null,
            device: (groupMemberIps ?? []).length > 1 ? null : (kinds.get(row.clientIp) ?? null),
          })),
        })
      },
      {
        access: 'account',
        query: t.Object({ format, ...scopeQuery }),
        ...file,
        detail: { summary: 'Export the totals of all clients as CSV or JSON' },
      },
    )
    .get(
      '/events/:id/export',
      async (call) => {
        const { params, query } = call
        const chosen = await files.ofEvent(params.id, query.taggedOnly ?? false)
        return files.downloads(questionOf(call, `event-${params.id}`), {
          ...chosen,
          includePrefill: query.includePrefill,
        })
      },
      {
        access: 'session',
        params: t.Object({ id: RowId }),
        query: t.Object({ format, taggedOnly: QueryFlag, includePrefill: QueryFlag }),
        ...file,
        detail: { summary: 'Export all downloads of an event as CSV or JSON' },
      },
    )
}
