import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, example, MessageResponse, Text, succeeded } from '../../core/http/schema.ts'
import { namesOfNodes } from '../cache-address/of-node.ts'
import type { PrefillRouteParts } from '../parts.ts'
import { appIdsBytesMax, QueuedRun } from '../sessions/model.ts'
import type { NamedSchedules } from './named.ts'
import {
  ChangedScheduleBody,
  NamedSchedule,
  NewScheduleBody,
  ScheduleEstimate,
} from './named-model.ts'

const params = t.Object({ id: t.String({ maxLength: 40 }) })

const weekend: ChangedScheduleBody = {
  name: 'Weekend',
  enabled: true,
  notificationMode: 'all',
  intervalHours: 24,
  preset: 'Top',
  topCount: 20,
}

export const namedScheduleRoutes = (deps: PrefillRouteParts, schedules: NamedSchedules) =>
  routesAt(deps.access, 'Prefill', '/api/ext/prefill/schedules')
    .get('', () => schedules.list(), {
      access: 'account',
      response: { 200: t.Array(NamedSchedule) },
      detail: { summary: 'Schedules of all platforms in the order in which they run' },
    })
    .get('/caches', () => namesOfNodes(deps.nodeHosts), {
      access: 'account',
      response: { 200: t.Array(Text) },
      detail: { summary: 'Nodes whose caches a schedule or a run can fill' },
    })
    .post('', ({ body }) => schedules.add(body), {
      access: 'account',
      body: example(NewScheduleBody, { platform: 'alpha', ...weekend }),
      bodyBytesMax: appIdsBytesMax,
      response: { 200: NamedSchedule, 400: ErrorBody, 409: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Add a schedule to a platform' },
    })
    .post('/run', ({ status }) => status(202, schedules.runAll()), {
      access: 'account',
      response: { 202: QueuedRun },
      detail: { summary: 'Run every enabled schedule now, one after the other' },
    })
    .put('/:id', ({ params: { id }, body }) => schedules.change(id, body), {
      access: 'account',
      params,
      body: example(ChangedScheduleBody, weekend),
      bodyBytesMax: appIdsBytesMax,
      response: {
        200: NamedSchedule,
        400: ErrorBody,
        404: ErrorBody,
        409: ErrorBody,
        503: ErrorBody,
      },
      detail: { summary: 'Change a schedule; a run that goes on keeps what it was started with' },
    })
    .delete('/:id', ({ params: { id } }) => succeeded('Schedule deleted', schedules.remove(id)), {
      access: 'account',
      params,
      response: { 200: MessageResponse, 404: ErrorBody, 409: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Delete a schedule and cancel its run' },
    })
    .get('/:id/estimate', ({ params: { id } }) => schedules.estimate(id), {
      access: 'account',
      params,
      response: { 200: ScheduleEstimate, 404: ErrorBody },
      detail: { summary: 'Size and duration of a schedule’s games, from earlier downloads' },
    })
    .post('/:id/run', ({ params: { id }, status }) => status(202, schedules.run(id)), {
      access: 'account',
      params,
      response: { 202: QueuedRun, 404: ErrorBody },
      detail: { summary: 'Run a schedule now, or when the current run has ended' },
    })
