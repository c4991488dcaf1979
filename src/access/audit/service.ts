import type { Static } from '@sinclair/typebox'
import type { AccessParts } from '../parts.ts'
import type { AuditPage } from './model.ts'

const entriesPerPage = 50

/** One page of the audit trail, newest first. */
export function auditPage(
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
