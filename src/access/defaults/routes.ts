import { Elysia, t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { AccessRouteParts } from '../parts.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import { ClockBody } from '../preferences/model.ts'
import * as guests from './guest-service.ts'
import * as model from './model.ts'
import { changePrefillDefaults, prefillDefaults } from './prefill-service.ts'
import { setSystemRate, systemRate } from './rate.ts'

const refused = { 400: ErrorBody }

const rateRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'System', '/api/system')
    .get('/refresh-rate', () => ({ message: null, refreshRate: systemRate(deps) }), {
      access: 'public',
      response: { 200: model.RefreshRateSetting },
      detail: { summary: "The dashboards' default refresh rate" },
    })
    .patch(
      '/refresh-rate',
      ({ body }) => {
        const refreshRate = setSystemRate(deps, body.refreshRate)
        return { message: 'The refresh rate was saved', refreshRate }
      },
      {
        access: 'account',
        body: example(model.RefreshRateBody, { refreshRate: 'STANDARD' }),
        response: { 200: model.RefreshRateSetting, ...refused },
        detail: { summary: "Set the dashboards' default refresh rate" },
      },
    )
    .get('/default-guest-refresh-rate', () => guests.guestRate(deps), {
      access: 'public',
      response: { 200: model.GuestRefreshRate },
      detail: { summary: 'The refresh rate of guests, and whether they may change it' },
    })
    .patch(
      '/default-guest-refresh-rate',
      ({ body }) => {
        const refreshRate = guests.setGuestRate(deps, body.refreshRate)
        return { message: 'The refresh rate of guests was saved', refreshRate }
      },
      {
        access: 'account',
        body: example(model.RefreshRateBody, { refreshRate: 'STANDARD' }),
        response: { 200: model.GuestRefreshRateSaved, ...refused },
        detail: { summary: 'Set the refresh rate of guests' },
      },
    )
    .patch(
      '/guest-refresh-rate-lock',
      ({ body }) => ({ success: true, locked: guests.setGuestRateLock(deps, body.locked) }),
      {
        access: 'account',
        body: example(model.LockBody, { locked: true }),
        response: { 200: model.LockSaved, ...refused },
        detail: { summary: 'Allow or forbid guests to choose their refresh rate' },
      },
    )

const preferenceRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'System', '/api/system/default-guest-preferences')
    .get('', () => guests.guestPreferences(deps), {
      access: 'session',
      response: { 200: model.GuestPreferences },
      detail: { summary: 'The default preferences of new guests' },
    })
    .patch(
      '/allowed-time-formats',
      ({ body }) => {
        const formats = guests.setGuestFormats(deps, body.formats)
        return { message: 'The time formats of guests were saved', formats }
      },
      {
        access: 'account',
        body: example(model.FormatsBody, { formats: ['server-24h', 'utc'] }),
        response: { 200: model.FormatsSaved, ...refused },
        detail: { summary: 'Set the time formats guests choose from' },
      },
    )
    .patch(
      '/clock',
      ({ body }) => {
        const clock = guests.setGuestClock(deps, body)
        return { message: 'The clock of new guests was saved', clock }
      },
      {
        access: 'account',
        body: example(ClockBody, { useLocalTimezone: true, use24HourFormat: true }),
        response: { 200: model.ClockSaved, ...refused },
        detail: { summary: 'Set the clock format of new guests' },
      },
    )
    .patch(
      '/:key',
      ({ params: { key }, body }) => {
        const stored = guests.setGuestFlag(deps, { key, value: body.value })
        return { message: 'The preference of new guests was saved', ...stored }
      },
      {
        access: 'account',
        params: t.Object({ key: t.String({ maxLength: 64, description: 'Name of a preference' }) }),
        body: example(model.FlagBody, { value: true }),
        response: { 200: model.FlagSaved, ...refused },
        detail: { summary: 'Set one default preference of new guests' },
      },
    )

const prefillRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'System', '/api/system/prefill-defaults')
    .get('', ({ caller }) => prefillDefaults(deps, caller), {
      access: 'session',
      response: { 200: model.PrefillDefaults },
      detail: { summary: 'The prefill defaults; guests read them within their limits' },
    })
    .patch('', ({ body }) => changePrefillDefaults(deps, body), {
      access: 'account',
      body: example(model.PrefillDefaultsBody, {
        operatingSystems: ['windows', 'linux'],
        maxConcurrency: '8',
      }),
      response: { 200: model.PrefillDefaults, ...refused },
      detail: { summary: 'Change the prefill defaults; absent members stay unchanged' },
    })

export const defaultsRoutes = (deps: AccessRouteParts) =>
  new Elysia({ name: 'system/defaults' })
    .use(rateRoutes(deps))
    .use(preferenceRoutes(deps))
    .use(prefillRoutes(deps))
