import { routesAt } from '../../core/http/access.ts'
import type { CacheRouteParts } from '../parts.ts'
import type { Eviction } from './eviction.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import { ScanStatus } from '../../core/operations/scan-status.ts'
import {
  EvictionChange,
  EvictionModeRefused,
  EvictionReset,
  EvictionScanStarted,
  EvictionSettings,
} from './model.ts'
import { createEvictionSettings } from './service.ts'

export const evictionRoutes = (deps: CacheRouteParts, eviction: Eviction) => {
  const service = createEvictionSettings(deps, eviction)
  return routesAt(deps.access, 'Downloads and Reporting', '/api/stats/eviction')
    .get('', () => service.read(), {
      access: 'account',
      response: { 200: EvictionSettings },
      detail: { summary: 'Read the eviction settings' },
    })
    .put('', ({ body }) => service.change(body), {
      access: 'account',
      body: example(EvictionChange, { evictedDataMode: 'hide', evictionScanNotifications: true }),
      response: { 200: EvictionSettings, 400: EvictionModeRefused, 503: ErrorBody },
      detail: { summary: 'Change the eviction settings' },
    })
    .get('/scan/status', () => service.scanStatus(), {
      access: 'account',
      response: { 200: ScanStatus },
      detail: { summary: 'Progress of the eviction scan' },
    })
    .post(
      '/reconcile',
      async ({ status }) => {
        const started = await service.reconcile()
        return status(started.queued ? 202 : 200, started)
      },
      {
        access: 'account',
        response: {
          200: EvictionScanStarted,
          202: EvictionScanStarted,
          400: ErrorBody,
          503: ErrorBody,
        },
        detail: { summary: 'Start an eviction scan' },
      },
    )
    .post('/reset', () => service.reset(), {
      access: 'account',
      response: { 200: EvictionReset, 503: ErrorBody },
      detail: { summary: 'Clear the evicted flag of every download' },
    })
}
