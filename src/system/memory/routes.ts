import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, example, QueryFlag } from '../../core/http/schema.ts'
import type { SystemRouteParts } from '../parts.ts'
import * as model from './model.ts'
import type { Memory } from './service.ts'

export const memoryRoutes = (deps: SystemRouteParts, memory: Memory) =>
  routesAt(deps.access, 'System').get(
    '/api/memory',
    ({ query }) => memory.stats(query.forceGC ?? false),
    {
      access: 'account',
      query: t.Object({ forceGC: QueryFlag }),
      response: { 200: model.MemoryStats },
      detail: { summary: 'Memory of the service and its child processes' },
    },
  )

export const collectionStatusRoutes = (deps: SystemRouteParts) =>
  routesAt(deps.access, 'System', '/api/system').get(
    '/gc-management/status',
    () => ({ enabled: deps.config.managesMemory }),
    {
      access: 'account',
      response: { 200: model.GcManagement },
      detail: { summary: 'Whether memory is collected by schedule' },
    },
  )

export const collectionRoutes = (deps: SystemRouteParts, memory: Memory) =>
  routesAt(deps.access, 'System', '/api/gc')
    .get('/settings', () => memory.settings(), {
      access: 'account',
      response: { 200: model.GcSettings, 404: ErrorBody },
      detail: { summary: 'When memory is collected' },
    })
    .put('/settings', ({ body }) => memory.save(body), {
      access: 'account',
      body: example(model.GcSettingsBody, {
        enabled: true,
        aggressiveness: 'balanced',
        memoryThresholdMB: 4096,
      }),
      response: { 200: model.GcSettings, 400: ErrorBody, 404: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Set when memory is collected' },
    })
    .post('/trigger', () => memory.trigger(), {
      access: 'account',
      response: { 200: model.GcTriggered, 404: ErrorBody },
      detail: { summary: 'Collect memory now' },
    })
