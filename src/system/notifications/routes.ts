import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { done, Empty, ErrorBody, example, Uuid } from '../../core/http/schema.ts'
import type { SystemRouteParts } from '../parts.ts'
import * as model from './model.ts'
import { testMs, type NotificationService } from './service.ts'

const prefix = '/api/ext/notifications'
const targetsPrefix = `${prefix}/targets`
const params = t.Object({ id: Uuid })
/** An attempt at the end of the limit is answered, too. */
const testSeconds = testMs / 1000 + 10
const refusals = { 400: ErrorBody, 404: ErrorBody, 409: ErrorBody, 503: ErrorBody }

const targetBody = example(model.TargetBody, {
  name: 'Own program',
  kind: 'webhook',
  url: 'http://192.168.1.5:8080/larder',
})

export const notificationRoutes = (deps: SystemRouteParts, notifications: NotificationService) =>
  routesAt(deps.access, 'System', prefix)
    .get('', () => notifications.read(), {
      access: 'admin',
      response: { 200: model.Notifications },
      detail: { summary: 'Targets, rules and quiet hours of notifications; no secrets' },
    })
    .get('/history', () => notifications.history(), {
      access: 'admin',
      response: { 200: model.NotificationHistoryView },
      detail: { summary: 'The last notifications and how each ended' },
    })
    .put('/rules', ({ body }) => notifications.setRules(body), {
      access: 'admin',
      body: example(model.NotificationRulesBody, {
        failedJobs: null,
        finishedJobs: [],
        diskDays: 14,
        corruption: true,
        signIns: false,
        service: true,
        dns: true,
        readiness: true,
      }),
      response: { 200: model.NotificationRules, ...refusals },
      detail: { summary: 'Choose what is notified' },
    })
    .put('/language', ({ body }) => notifications.setLanguage(body), {
      access: 'admin',
      body: example(model.LanguageBody, { language: 'de' }),
      response: { 200: model.LanguageBody, ...refusals },
      detail: { summary: 'Choose the language of notifications' },
    })
    .put('/quiet-hours', ({ body }) => notifications.setQuietHours(body.quietHours), {
      access: 'admin',
      body: example(model.QuietHoursBody, {
        quietHours: { start: '23:00', end: '07:00', timeZoneId: 'Europe/Berlin' },
      }),
      response: { 200: model.QuietHoursBody, ...refusals },
      detail: { summary: 'Set the hours in which notifications wait' },
    })

export const notificationTargetRoutes = (
  deps: SystemRouteParts,
  notifications: NotificationService,
) =>
  routesAt(deps.access, 'System', targetsPrefix)
    .post(
      '',
      ({ body, set }) => {
        const target = notifications.create(body)
        set.status = 201
        set.headers.location = `${targetsPrefix}/${target.id}`
        return target
      },
      {
        access: 'admin',
        body: targetBody,
        response: { 201: model.TargetView, ...refusals },
        detail: { summary: 'Add a target of notifications' },
      },
    )
    .put('/:id', ({ params: { id }, body }) => notifications.update(id, body), {
      access: 'admin',
      params,
      body: targetBody,
      response: { 200: model.TargetView, ...refusals },
      detail: { summary: 'Change a target; secrets that are left out stay as they are' },
    })
    .patch('/:id', ({ params: { id }, body }) => notifications.enable(id, body.isEnabled), {
      access: 'admin',
      params,
      body: example(model.EnableBody, { isEnabled: false }),
      response: { 200: model.TargetView, ...refusals },
      detail: { summary: 'Enable or disable a target; everything else stays as it is' },
    })
    .delete('/:id', (call) => done(notifications.delete(call.params.id)), {
      access: 'admin',
      params,
      response: { 200: Empty, ...refusals },
      detail: { summary: 'Delete a target and what waits for it' },
    })
    .post('/:id/test', ({ params: { id } }) => notifications.test(id), {
      access: 'admin',
      idleSeconds: testSeconds,
      params,
      response: { 200: model.TestResult, ...refusals },
      detail: { summary: 'Send a test message now' },
    })
