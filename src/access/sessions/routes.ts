import { Elysia, t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { AccessRouteParts } from '../parts.ts'
import {
  ErrorBody,
  example,
  MessageResponse,
  QueryInt,
  Uuid,
  succeeded,
} from '../../core/http/schema.ts'
import { noteClient } from './client-info.ts'
import * as model from './model.ts'
import * as service from './service.ts'

const params = t.Object({ id: Uuid })

const listRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/sessions')
    .get('', ({ caller, query }) => service.listSessions(deps, caller, query), {
      access: 'account',
      query: t.Object({ page: QueryInt, pageSize: QueryInt }),
      response: { 200: model.SessionList },
      detail: { summary: 'List active sessions page by page, and ended ones' },
    })
    .post(
      '/bulk/reset-to-defaults',
      () => ({ success: true, affectedCount: service.resetGuests(deps) }),
      {
        access: 'account',
        response: { 200: model.Affected },
        detail: { summary: 'Clear the preferences of all guests' },
      },
    )
    .delete(
      '/bulk/clear-guests',
      () => ({ success: true, clearedCount: service.clearGuests(deps) }),
      {
        access: 'account',
        response: { 200: model.Cleared },
        detail: { summary: 'End all guest sessions' },
      },
    )

const oneRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/sessions')
    .patch(
      '/:id/revoke',
      ({ caller, params: { id } }) =>
        succeeded('The session was ended', service.revokeSession(deps, caller, id)),
      {
        access: 'account',
        params,
        response: { 200: MessageResponse, 403: ErrorBody, 404: ErrorBody },
        detail: { summary: 'End a session' },
      },
    )
    .delete(
      '/:id',
      ({ caller, params: { id } }) =>
        succeeded('The session was deleted', service.deleteSession(deps, caller, id)),
      {
        access: 'account',
        params,
        response: { 200: MessageResponse, 403: ErrorBody, 404: ErrorBody },
        detail: { summary: 'Delete a session and all its data' },
      },
    )
    .patch(
      '/:id/refresh-rate',
      ({ caller, params: { id }, body }) => {
        service.setRefreshRate(deps, caller, { id, rate: body.refreshRate ?? null })
        return { success: true }
      },
      {
        access: 'session',
        params,
        body: example(model.RefreshRateBody, { refreshRate: 'STANDARD' }),
        response: { 200: model.Done, 403: ErrorBody, 404: ErrorBody },
        detail: { summary: "Set the dashboard refresh rate of the caller's session" },
      },
    )
    .post(
      '/me/client-info',
      ({ caller, request, body }) => noteClient(deps, caller, { request, facts: body }),
      {
        access: 'session',
        body: example(model.ClientFacts, {
          timezone: 'Europe/Berlin',
          language: 'de-DE',
          screenResolution: '1920x1080',
        }),
        response: { 200: model.ClientInfo },
        detail: { summary: "Report facts about the caller's browser" },
      },
    )

export const sessionRoutes = (deps: AccessRouteParts) =>
  new Elysia({ name: 'access/sessions' }).use(listRoutes(deps)).use(oneRoutes(deps))
