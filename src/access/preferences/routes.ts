import { Elysia, t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { AccessRouteParts } from '../parts.ts'
import { example, Flag, MessageResponse, Model, Text, succeeded } from '../../core/http/schema.ts'
import { ClockBody, PreferencesBody, PreferenceValue, UserPreferences } from './model.ts'
import * as service from './service.ts'

const Refused = Model('PreferencesRefused', { success: Flag, message: Text, error: Text })
const refusals = { 400: Refused, 404: Refused }
const saved = 'The preferences were saved'

const ownRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/user-preferences')
    .get('', ({ caller }) => service.ownPreferences(deps, caller), {
      access: 'session',
      response: { 200: UserPreferences },
      detail: { summary: "The caller's preferences, or the defaults" },
    })
    .put('', ({ caller, body }) => succeeded(saved, service.replaceOwn(deps, caller, body)), {
      access: 'session',
      body: example(PreferencesBody, {
        selectedTheme: 'dark-default',
        use24HourFormat: true,
        refreshRate: 'STANDARD',
      }),
      response: { 200: MessageResponse, ...refusals },
      detail: { summary: "Replace the caller's preferences" },
    })
    .patch(
      '/clock',
      ({ caller, body }) => succeeded(saved, service.changeClock(deps, caller, body)),
      {
        access: 'session',
        body: example(ClockBody, { useLocalTimezone: true, use24HourFormat: true }),
        response: { 200: MessageResponse, ...refusals },
        detail: { summary: "Set the caller's clock format" },
      },
    )
    .patch(
      '/:key',
      ({ caller, params: { key }, body }) =>
        succeeded(saved, service.changeOwn(deps, caller, { name: key, value: body })),
      {
        access: 'session',
        params: t.Object({ key: t.String({ maxLength: 64, description: 'Name of a preference' }) }),
        body: example(PreferenceValue, true),
        response: { 200: MessageResponse, ...refusals },
        detail: { summary: "Set one of the caller's preferences; the body is the bare value" },
      },
    )

const otherRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/user-preferences/session')
    .get(
      '/:sessionId',
      ({ caller, params }) => service.preferencesOf(deps, caller, params.sessionId),
      {
        access: 'account',
        params: t.Object({ sessionId: t.String() }),
        response: { 200: UserPreferences, ...refusals },
        detail: { summary: 'The preferences of a session' },
      },
    )
    .put(
      '/:sessionId',
      ({ caller, params: { sessionId }, body }) =>
        succeeded(saved, service.replaceFor(deps, caller, { sessionId, body })),
      {
        access: 'account',
        params: t.Object({ sessionId: t.String() }),
        body: example(PreferencesBody, {
          selectedTheme: 'dark-default',
          use24HourFormat: true,
          refreshRate: 'STANDARD',
        }),
        response: { 200: MessageResponse, ...refusals },
        detail: { summary: 'Replace the preferences of a session' },
      },
    )

export const preferenceRoutes = (deps: AccessRouteParts) =>
  new Elysia({ name: 'access/preferences' }).use(ownRoutes(deps)).use(otherRoutes(deps))
