import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { CacheRouteParts } from '../parts.ts'
import { ErrorBody, UnixSeconds } from '../../core/http/schema.ts'
import { scopeOf } from '../../downloads/contract.ts'
import { CacheForecast, CacheHistory, CacheSnapshot } from './model.ts'
import type { Snapshots } from './service.ts'

const away = { 503: ErrorBody }

export const snapshotRoutes = (deps: CacheRouteParts, snapshots: Snapshots) =>
  routesAt(deps.access, 'Downloads and Reporting')
    .get('/api/stats/cache-snapshot', ({ query }) => snapshots.period(scopeOf(query)), {
      access: 'session',
      query: t.Object({ startTime: UnixSeconds, endTime: UnixSeconds }),
      response: { 200: CacheSnapshot, 400: ErrorBody, ...away },
      detail: { summary: 'Size of the cache over a period' },
    })
    .get('/api/ext/cache/forecast', () => snapshots.forecast(), {
      access: 'session',
      response: { 200: CacheForecast, ...away },
      detail: { summary: 'How fast the cache grows and when it will be full' },
    })
    .get('/api/ext/cache/history', ({ query }) => snapshots.history(query), {
      access: 'session',
      query: t.Object({ start: UnixSeconds, end: UnixSeconds }),
      response: { 200: CacheHistory, 400: ErrorBody, ...away },
      detail: { summary: 'Measured sizes of the cache; the last 30 days by default' },
    })
