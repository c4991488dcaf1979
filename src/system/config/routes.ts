import { routesAt } from '../../core/http/access.ts'
import type { SystemRouteParts } from '../parts.ts'
import { SystemConfig } from './model.ts'
import { systemConfig } from './service.ts'

export const configRoutes = (deps: SystemRouteParts) =>
  routesAt(deps.access, 'System', '/api/system/config').get(
    '',
    ({ caller }) => systemConfig(deps, caller),
    {
      access: 'public',
      response: { 200: SystemConfig },
      detail: { summary: 'Configuration of the service; without paths when signed out' },
    },
  )
