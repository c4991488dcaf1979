import { Elysia } from 'elysia'
import type { SystemRouteParts } from '../parts.ts'
import { ServiceStatus } from './model.ts'
import { serviceStatus } from './service.ts'

export const statusRoutes = (deps: SystemRouteParts) =>
  new Elysia({ name: 'system/status', prefix: '/api/ext/status', tags: ['System'] })
    .use(deps.access)
    .get('', () => serviceStatus(deps), {
      access: 'account',
      response: { 200: ServiceStatus },
      detail: { summary: 'Whether ingestion and history work, and what is wrong' },
    })
