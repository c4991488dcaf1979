import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { done, Empty, ErrorBody, example } from '../../core/http/schema.ts'
import type { ClientsRouteParts } from '../parts.ts'
import { Bypass, Dismissal, QueryLogBody, QueryLogView } from './model.ts'
import type { BypassRadar } from './service.ts'

/** A history with many clients, and a DNS server that takes its time. */
const readSeconds = 60

export const bypassRoutes = (deps: ClientsRouteParts, bypass: BypassRadar) =>
  routesAt(deps.access, 'Clients', '/api/ext/clients')
    .get('/bypass', () => bypass.list(), {
      access: 'account',
      idleSeconds: readSeconds,
      response: { 200: Bypass, 503: ErrorBody },
      detail: { summary: 'Clients that perhaps use platforms without the cache' },
    })
    .put(
      '/:ip/bypass',
      async ({ params, body }) => done(await bypass.dismiss(params.ip, body.isDismissed)),
      {
        access: 'account',
        params: t.Object({ ip: t.String({ maxLength: 100 }) }),
        body: example(Dismissal, { isDismissed: true }),
        response: { 200: Empty, 400: ErrorBody, 404: ErrorBody, 409: ErrorBody, 503: ErrorBody },
        detail: { summary: 'Dismiss a client of that list until something changes' },
      },
    )

/** Like other services that an administrator connects. */
export const queryLogRoutes = (deps: ClientsRouteParts, bypass: BypassRadar) =>
  routesAt(deps.access, 'System', '/api/ext/clients')
    .get('/query-log', () => bypass.queryLog(), {
      access: 'admin',
      response: { 200: QueryLogView },
      detail: { summary: 'The DNS server whose query log is read; no password' },
    })
    .put('/query-log', ({ body }) => bypass.setQueryLog(body), {
      access: 'admin',
      body: example(QueryLogBody, {
        kind: 'adguard',
        url: 'http://192.168.1.2',
        user: 'larder',
        password: 'example',
      }),
      response: { 200: QueryLogView, 400: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Set the DNS server whose query log is read, or none' },
    })
