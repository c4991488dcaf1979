import { MetricsSecurity } from './metrics/model.ts'
import { Type } from '@sinclair/typebox'
import { Flag, Int, Nullable, Text } from '../core/lib/schema.ts'
import { accounts } from '../core/live/events.ts'
import { jobEvents } from '../core/operations/events.ts'
import { ServiceSchedule } from './schedules/model.ts'
import { DomainsRefreshed } from './status-check/model.ts'

/** Events of this group. */
export const systemEvents = {
  ...jobEvents(
    'DatabaseReset',
    'DataImport',
    'OperationHistoryCleanup',
    'PerformanceOptimization',
    'DashboardCacheWarmer',
  ),
  SchedulesUpdated: accounts(Type.Array(ServiceSchedule)),
  StatusCheckProgress: accounts(
    Type.Object({
      operationId: Text,
      completedDomains: Int,
      totalDomains: Int,
      currentService: Nullable(Text),
    }),
  ),
  StatusCheckComplete: accounts(
    Type.Object({
      operationId: Text,
      success: Flag,
      cancelled: Flag,
      error: Nullable(Text),
      result: Type.Unsafe<object | null>(
        Nullable(Type.Object({}, { description: '`lastResult` of `GET /api/status-check`' })),
      ),
    }),
  ),
  CacheDomainsRefreshed: accounts(DomainsRefreshed),
  MetricsSecurityUpdated: accounts(
    Type.Object({
      ...MetricsSecurity.properties,
      source: Type.Unsafe<'ui' | 'config'>(Type.String({ enum: ['ui', 'config'] })),
    }),
  ),
}
