import { routesAt } from '../../core/http/access.ts'
import type { SystemRouteParts } from '../parts.ts'
import { ServiceStatus } from './model.ts'
import { serviceStatus } from './service.ts'

export const statusRoutes = (deps: SystemRouteParts) =>
  routesAt(deps.access, 'System', '/api/ext/status').get('', () => serviceStatus(deps), {
    access: 'account',
    response: { 200: ServiceStatus },
    detail: { summary: 'Whether ingestion and history work, and what is wrong' },
  })
