import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import type { SystemRouteParts } from '../parts.ts'
import * as model from './model.ts'
import type { StatusCheck } from './service.ts'

/** An archive, or a domain with all of its resolvers and servers. */
const longSeconds = 60
const text = t.Optional(t.String({ maxLength: 300 }))

export const statusCheckRoutes = (deps: SystemRouteParts, check: StatusCheck) =>
  routesAt(deps.access, 'System', '/api/status-check')
    .get('', () => check.state(), {
      access: 'account',
      response: { 200: model.StatusCheckState },
      detail: { summary: 'Latest result and state of the cache-domain check' },
    })
    .get('/domains', () => check.list(), {
      access: 'account',
      response: { 200: model.DomainList },
      detail: { summary: 'Cache domains by service' },
    })
    .post('/refresh-domains', ({ request }) => check.refresh(request.signal), {
      access: 'account',
      idleSeconds: longSeconds,
      response: { 200: model.DomainsRefreshed, 409: ErrorBody },
      detail: { summary: 'Fetch the list of cache domains anew' },
    })
    .post('/resolver-mode', ({ body }) => check.setMode(body.mode), {
      access: 'account',
      body: example(t.Object({ mode: text }), { mode: 'auto' }),
      response: { 200: model.ResolverModeAnswer, 400: ErrorBody },
      detail: { summary: 'Choose where resolvers are searched for: auto, bridge or host' },
    })
    .post('/run', ({ body, status }) => status(202, check.start(body?.expectedCacheIps)), {
      access: 'account',
      body: t.Optional(example(t.Object(model.ExpectedBody), { expectedCacheIps: ['10.0.0.2'] })),
      response: { 202: model.CheckStarted, 400: ErrorBody, 409: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Check every cache domain' },
    })
    .post('/test-domain', ({ body }) => check.test(body.domain, body.expectedCacheIps), {
      access: 'account',
      idleSeconds: longSeconds,
      body: example(t.Object({ domain: text, ...model.ExpectedBody }), {
        domain: 'lancache.steamcontent.com',
      }),
      response: { 200: model.TestedDomain, 400: ErrorBody },
      detail: { summary: 'Check one domain' },
    })
