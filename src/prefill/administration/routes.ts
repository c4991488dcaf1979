import { t } from 'elysia'
import {
  ErrorBody,
  example,
  MessageOnlyResponse,
  QueryFlag,
  RowId,
  withMessage,
} from '../../core/http/schema.ts'
import { routesAt } from '../../core/http/access.ts'
import type { BanService } from '../bans/service.ts'
import type { PrefillRouteParts } from '../parts.ts'
import { DaemonSession } from '../sessions/model.ts'
import * as model from './model.ts'
import type { AdministrationService } from './service.ts'

const SessionParams = t.Object({ sessionId: t.String({ maxLength: 100 }) })

const terminateBody = example(t.Optional(model.TerminateBody), {
  reason: 'The line is needed',
  force: false,
})

export const administrationRoutes = (
  deps: PrefillRouteParts,
  administration: AdministrationService,
) =>
  routesAt(deps.access, 'Prefill', '/api/prefill-admin')
    .get('/sessions', ({ caller, query }) => administration.page(caller, query), {
      access: 'account',
      query: t.Object(model.pageQuery),
      response: { 200: model.SessionPage },
      detail: { summary: 'Prefill sessions, running and ended' },
    })
    .get('/sessions/active', ({ caller }) => administration.active(caller), {
      access: 'account',
      response: { 200: t.Array(DaemonSession) },
      detail: { summary: 'Prefill sessions that run' },
    })
    .get(
      '/sessions/:sessionId/history',
      ({ caller, params }) => administration.history(caller, params.sessionId),
      {
        access: 'account',
        params: SessionParams,
        response: { 200: t.Array(model.HistoryEntry), 404: ErrorBody },
        detail: { summary: 'Games that a session prefilled' },
      },
    )
    .post(
      '/sessions/:sessionId/terminate',
      async ({ caller, params, body }) =>
        withMessage(
          'Session terminated',
          await administration.terminate(caller, params.sessionId, body ?? {}),
        ),
      {
        access: 'account',
        params: SessionParams,
        body: terminateBody,
        response: { 200: MessageOnlyResponse, 400: ErrorBody },
        detail: { summary: 'End a session and its daemon' },
      },
    )
    .post(
      '/sessions/terminate-all',
      async ({ caller, body }) => {
        const count = await administration.terminateAll(caller, body ?? {})
        return { message: `Terminated ${count} sessions` }
      },
      {
        access: 'account',
        body: terminateBody,
        response: { 200: MessageOnlyResponse, 400: ErrorBody },
        detail: { summary: 'End all sessions that are not persistent' },
      },
    )

export const prefillCacheRoutes = (
  deps: PrefillRouteParts,
  administration: AdministrationService,
) =>
  routesAt(deps.access, 'Prefill', '/api/prefill-admin')
    .get('/cache', ({ caller }) => administration.cachedApps(caller), {
      access: 'prefill:any',
      response: { 200: t.Array(model.CachedApp) },
      detail: { summary: 'Apps whose depots were prefilled' },
    })
    .delete('/cache', () => withMessage('Prefill cache cleared', administration.clearCache()), {
      access: 'account',
      response: { 200: MessageOnlyResponse, 503: ErrorBody },
      detail: { summary: 'Forget which depots were prefilled; no file is touched' },
    })

export const banRoutes = (deps: PrefillRouteParts, bans: BanService) =>
  routesAt(deps.access, 'Prefill', '/api/prefill-admin/bans')
    .get('', ({ caller, query }) => bans.list(caller, query.includeLifted ?? false), {
      access: 'account',
      query: t.Object({ includeLifted: QueryFlag }),
      response: { 200: t.Array(model.BannedPrefillUser) },
      detail: { summary: 'Users who may not prefill' },
    })
    .post('', ({ caller, body }) => bans.byName(caller, body ?? {}), {
      access: 'account',
      body: example(t.Optional(model.BanBody), {
        username: 'anna',
        reason: 'Too many games at once',
      }),
      response: { 200: model.BannedPrefillUser, 400: ErrorBody },
      detail: { summary: 'Ban the account of a platform by its name' },
    })
    .post(
      '/by-session/:sessionId',
      ({ caller, params, body }) => bans.bySession(caller, params.sessionId, body ?? {}),
      {
        access: 'account',
        params: SessionParams,
        body: example(t.Optional(model.BanSessionBody), {
          reason: 'Too many games at once',
          expiresAt: '2099-12-31T00:00:00Z',
        }),
        response: { 200: model.BannedPrefillUser, 400: ErrorBody },
        detail: { summary: 'Ban the user of a session and end it' },
      },
    )
    .post(
      '/:banId/lift',
      ({ caller, params }) => withMessage('Ban lifted', bans.lift(caller, params.banId)),
      {
        access: 'account',
        params: t.Object({ banId: RowId }),
        response: { 200: MessageOnlyResponse, 404: ErrorBody },
        detail: { summary: 'Lift a ban' },
      },
    )
