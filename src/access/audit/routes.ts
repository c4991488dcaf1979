import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { AccessRouteParts, AccessParts } from '../parts.ts'
import { ErrorBody } from '../../core/http/schema.ts'
import { AuditPage } from './model.ts'
import type { Static } from '@sinclair/typebox'

const entriesPerPage = 50

/** One page of the audit trail, newest first. */
function auditPage(
  { control }: AccessParts,
  { limit = entriesPerPage, before }: { limit?: number; before?: number },
): Static<typeof AuditPage> {
  const names = new Map(control.accounts.all().map(({ id, username }) => [id, username]))
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null))
  const rows = control.audit.read({ limit: limit + 1, before: before ?? null })
  const shown = rows.slice(0, limit)
  return {
    entries: shown.map((row) => ({
      id: row.id,
      at: row.at.toISOString(),
      event: row.event,
      actorAccountId: row.actorAccountId,
      actorName: nameOf(row.actorAccountId),
      actorSessionId: row.actorSessionId,
      targetAccountId: row.targetAccountId,
      targetName: nameOf(row.targetAccountId),
      address: row.detail,
    })),
    next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
  }
}

/** Entries per page. */
const limit = { minimum: 1, maximum: 200, default: 50 }

export const auditRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/ext/audit').get('', ({ query }) => auditPage(deps, query), {
    access: 'owner',
    query: t.Object({
      limit: t.Optional(t.Integer(limit)),
      before: t.Optional(t.Integer({ minimum: 1 })),
    }),
    response: { 200: AuditPage, 403: ErrorBody },
    detail: { summary: 'Changes to accounts and keys, newest first' },
  })
