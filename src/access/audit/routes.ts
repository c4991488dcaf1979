import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { AccessRouteParts } from '../parts.ts'
import { ErrorBody } from '../../core/http/schema.ts'
import { AuditPage } from './model.ts'
import { auditPage } from './service.ts'

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
