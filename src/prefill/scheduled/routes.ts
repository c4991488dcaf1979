import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { Empty, ErrorBody, example, FileOf } from '../../core/http/schema.ts'
import { orRefusedSchedule } from '../../core/http/refused-schedule.ts'
import { perPlatform, scheduledOrder } from '../../platforms/platforms.ts'
import type { PrefillRouteParts } from '../parts.ts'
import { appIdsBytesMax } from '../sessions/model.ts'
import * as model from './model.ts'
import type { ScheduledPrefills } from './service.ts'

const off = { enabled: false, notificationMode: 'all', intervalHours: 24, preset: 'All' } as const

export const scheduledPrefillRoutes = (deps: PrefillRouteParts, scheduled: ScheduledPrefills) =>
  routesAt(deps.access, 'Prefill', '/api/system/schedules/scheduledPrefill')
    .get('/config', () => scheduled.config(), {
      access: 'account',
      response: { 200: model.Config },
      detail: { summary: 'What is prefilled on a schedule' },
    })
    .put('/config', ({ body }) => orRefusedSchedule(() => scheduled.configure(body)), {
      access: 'account',
      body: example(model.ConfigBody, {
        version: 5,
        maxServiceRuntime: '06:00:00',
        stallTimeout: '00:15:00',
        ...perPlatform(() => off, scheduledOrder),
        alpha: {
          enabled: true,
          notificationMode: 'all',
          intervalHours: 24,
          preset: 'Recent',
          operatingSystems: ['Windows'],
        },
      }),
      bodyBytesMax: appIdsBytesMax,
      response: { 200: Empty, 400: FileOf('text/plain'), 503: ErrorBody },
      detail: {
        summary: 'Set what is prefilled on a schedule',
        description: 'A platform whose defaults were never changed is off, whatever they say.',
      },
    })
    .get('/run-status', () => scheduled.status(), {
      access: 'account',
      response: { 200: model.RunStatus },
      detail: { summary: 'Whether a scheduled prefill runs' },
    })
    .get('/schedule', () => scheduled.plans(), {
      access: 'account',
      response: { 200: t.Array(model.ServicePlan) },
      detail: { summary: 'When each platform was and will be prefilled' },
    })
