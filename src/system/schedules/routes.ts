import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { done, Empty, ErrorBody, example, FileOf } from '../../core/http/schema.ts'
import { orRefusedSchedule } from '../../core/http/refused-schedule.ts'
import { Queued } from '../../core/operations/contract.ts'
import type { SystemRouteParts } from '../parts.ts'
import * as model from './model.ts'
import type { ScheduleService } from './service.ts'

const KeyParams = t.Object({ serviceKey: t.String({ maxLength: 100 }) })

const changed = { 200: Empty, 400: ErrorBody, 404: ErrorBody, 409: ErrorBody, 503: ErrorBody }

export const scheduleRoutes = (deps: SystemRouteParts, schedules: ScheduleService) =>
  routesAt(deps.access, 'Prefill', '/api/system/schedules')
    .get('', () => schedules.list(), {
      access: 'account',
      response: { 200: Type.Array(model.ServiceSchedule) },
      detail: { summary: 'Schedules of all services' },
    })
    .post('/run-all', ({ status }) => status(202, schedules.runAll()), {
      access: 'account',
      response: { 202: model.StartedAll },
      detail: { summary: 'Run every service now' },
    })
    .post('/reset', () => done(schedules.reset()), {
      access: 'account',
      response: { 200: Empty, 503: ErrorBody },
      detail: { summary: 'Set all schedules back to their defaults' },
    })
    .get('/:serviceKey', ({ params }) => schedules.read(params.serviceKey), {
      access: 'account',
      params: KeyParams,
      response: { 200: model.ServiceSchedule, 404: ErrorBody },
      detail: { summary: 'Read the schedule of a service' },
    })
    .get('/:serviceKey/run-status', ({ params }) => schedules.runStatus(params.serviceKey), {
      access: 'account',
      params: KeyParams,
      response: { 200: model.RunStatus, 404: ErrorBody },
      detail: { summary: 'Progress of the current run of a service' },
    })
    .post(
      '/:serviceKey/run',
      ({ params, status }) => status(202, schedules.run(params.serviceKey)),
      {
        access: 'account',
        params: KeyParams,
        response: { 202: Queued, 404: ErrorBody },
        detail: { summary: 'Run a service now' },
      },
    )

export const scheduleChangeRoutes = (deps: SystemRouteParts, schedules: ScheduleService) =>
  routesAt(deps.access, 'Prefill', '/api/system/schedules/:serviceKey')
    .put(
      '',
      ({ params, body: { intervalHours } }) =>
        done(schedules.change(params.serviceKey, { intervalHours })),
      {
        access: 'account',
        params: KeyParams,
        body: example(model.IntervalBody, { intervalHours: 12 }),
        response: changed,
        detail: { summary: 'Set the interval of a service' },
      },
    )
    .put(
      '/runOnStartup',
      ({ params, body: { runOnStartup } }) =>
        done(schedules.change(params.serviceKey, { runOnStartup })),
      {
        access: 'account',
        params: KeyParams,
        body: example(model.StartupBody, { runOnStartup: true }),
        response: changed,
        detail: { summary: 'Set whether a service runs when Larder starts' },
      },
    )
    .put(
      '/customSchedule',
      ({ params, body }) =>
        orRefusedSchedule(() => schedules.setCustom(params.serviceKey, body.customSchedule)),
      {
        access: 'account',
        params: KeyParams,
        body: example(model.CustomScheduleBody, {
          customSchedule: { expression: '0 4 * * *', timeZoneId: 'Europe/Berlin' },
        }),
        response: { ...changed, 400: FileOf('text/plain') },
        detail: { summary: 'Set a schedule by the calendar; null removes it' },
      },
    )
    .put(
      '/notificationMode',
      ({ params, body }) => done(schedules.change(params.serviceKey, { notificationMode: body })),
      {
        access: 'account',
        params: KeyParams,
        body: example(model.NotificationMode, 'manual'),
        response: changed,
        detail: { summary: 'Set which runs of a service are shown' },
      },
    )
    .put(
      '/notificationDisplayMode',
      ({ params, body }) => done(schedules.change(params.serviceKey, { displayMode: body })),
      {
        access: 'account',
        params: KeyParams,
        body: example(model.NotificationDisplayMode, 'condensed'),
        response: changed,
        detail: { summary: 'Set how runs of a service are shown' },
      },
    )

/** Addition to the API: a calendar's runs before it is saved. */
export const schedulePreviewRoutes = (deps: SystemRouteParts, schedules: ScheduleService) =>
  routesAt(deps.access, 'Prefill', '/api/ext/schedules').get(
    '/next-runs',
    ({ query }) => schedules.nextRuns(query),
    {
      access: 'account',
      query: model.NextRunsQuery,
      response: { 200: model.NextRuns, 400: ErrorBody },
      detail: { summary: 'The next runs of a calendar schedule, or why it is refused' },
    },
  )
