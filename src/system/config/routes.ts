import { Elysia } from 'elysia'
import type { SystemRouteParts } from '../parts.ts'
import { SystemConfig } from './model.ts'
import { systemConfig } from './service.ts'

export const configRoutes = (deps: SystemRouteParts) =>
  new Elysia({ name: 'system/config', prefix: '/api/system/config', tags: ['System'] })
    .use(deps.access)
    .get('', ({ caller }) => systemConfig(deps, caller), {
      access: 'public',
      response: { 200: SystemConfig },
      detail: { summary: 'Configuration of the service; without paths when signed out' },
    })
