import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, example, FileOf } from '../../core/http/schema.ts'
import type { SystemRouteParts } from '../parts.ts'
import { expositionType } from './exposition.ts'
import * as model from './model.ts'
import type { Metrics } from './service.ts'

export const metricsRoutes = (deps: SystemRouteParts, metrics: Metrics) =>
  routesAt(deps.access, 'System').get(
    '/metrics',
    async ({ request }) => {
      metrics.admit(request)
      const headers = { 'Content-Type': expositionType, 'Cache-Control': 'no-store' }
      return new Response(await metrics.text(), { headers })
    },
    {
      access: 'public',
      response: { 200: FileOf('text/plain'), 401: ErrorBody, 403: ErrorBody, 429: ErrorBody },
      detail: { hide: true, summary: 'Figures for Prometheus' },
    },
  )

export const metricsSettingRoutes = (deps: SystemRouteParts, metrics: Metrics) =>
  routesAt(deps.access, 'System', '/api/metrics')
    .get('/game-limit', () => metrics.gameLimit(), {
      access: 'account',
      response: { 200: model.MetricsGameLimit },
      detail: { summary: 'How many games the metrics list' },
    })
    .post('/game-limit', ({ body }) => metrics.setGameLimit(body.gameLimit), {
      access: 'account',
      body: example(model.MetricsGameLimit, { gameLimit: 100 }),
      response: { 200: model.MetricsGameLimit, 400: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Set how many games the metrics list' },
    })
    .get('/interval', () => metrics.interval(), {
      access: 'account',
      response: { 200: model.MetricsInterval },
      detail: { summary: 'Seconds for which an answer of the metrics is kept' },
    })
    .post('/interval', ({ body }) => metrics.setInterval(body.interval), {
      access: 'account',
      body: example(model.MetricsInterval, { interval: 15 }),
      response: { 200: model.MetricsInterval, 400: ErrorBody },
      detail: { summary: 'Set for how many seconds an answer of the metrics is kept' },
    })
    .get('/security', () => metrics.security(), {
      access: 'account',
      response: { 200: model.MetricsSecurity },
      detail: { summary: 'Whether the metrics need the installation key' },
    })
    .post('/security', ({ body }) => metrics.setSecurity(body.enabled ?? null), {
      access: 'account',
      body: example(model.MetricsSecurityBody, { enabled: true }),
      response: { 200: model.MetricsSecurity, 400: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Set whether the metrics need the installation key' },
    })
