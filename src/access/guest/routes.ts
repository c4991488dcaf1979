import { Elysia, t } from 'elysia'
import type { AccessRouteParts } from '../parts.ts'
import { ErrorBody, example, Uuid } from '../../core/http/schema.ts'
import * as model from './model.ts'
import * as service from './service.ts'

const noStore = { 'cache-control': 'no-store, no-cache, must-revalidate, max-age=0' }
const refused = { 400: ErrorBody }

const settingRoutes = (deps: AccessRouteParts) =>
  new Elysia({ name: 'access/guest/settings', prefix: '/api/auth/guest', tags: ['Access'] })
    .use(deps.access)
    .get('/status', () => service.guestStatus(deps), {
      access: 'session',
      response: { 200: model.GuestStatus },
      detail: { summary: 'Whether new guests are admitted, and for how long' },
    })
    .get('/config', () => service.guestStatus(deps), {
      access: 'session',
      response: { 200: model.GuestStatus },
      detail: { summary: 'The guest mode settings' },
    })
    .get(
      '/config/duration',
      ({ set }) => {
        Object.assign(set.headers, noStore)
        return service.guestDuration(deps)
      },
      {
        access: 'account',
        response: { 200: model.GuestDuration },
        detail: { summary: 'The lifetime of new guest sessions, and where it is set' },
      },
    )
    .post(
      '/config/duration',
      ({ body }) => service.setGuestDuration(deps, body.durationHours ?? null),
      {
        access: 'account',
        body: example(model.DurationBody, { durationHours: 6 }),
        response: { 200: model.GuestDuration, ...refused },
        detail: { summary: 'Set the lifetime of new guest sessions; null clears the override' },
      },
    )
    .post(
      '/config/lock',
      ({ body }) => {
        const isLocked = body.isLocked ?? false
        service.setGuestLock(deps, isLocked)
        const message = isLocked ? 'Guest mode is locked' : 'Guest mode is unlocked'
        return { success: true, isLocked, message }
      },
      {
        access: 'account',
        body: example(model.LockBody, { isLocked: true }),
        response: { 200: model.Locked },
        detail: { summary: 'Lock or unlock guest mode for new guests' },
      },
    )

const alphaRoutes = (deps: AccessRouteParts) =>
  new Elysia({ name: 'access/guest/alpha', prefix: '/api/auth/guest/prefill', tags: ['Access'] })
    .use(deps.access)
    .get('/config', () => service.alphaPrefillConfig(deps), {
      access: 'session',
      response: { 200: model.AlphaPrefillConfig },
      detail: { summary: 'Guest prefill defaults of platform alpha, including beta and gamma' },
    })
    .post(
      '/config',
      ({ body }) => ({ success: true, ...service.saveAlphaPrefillConfig(deps, body) }),
      {
        access: 'account',
        body: example(model.AlphaPrefillBody, {
          enabledByDefault: true,
          durationHours: 2,
          maxThreadCount: 8,
        }),
        response: { 200: model.ThreadedPrefillSaved, ...refused },
        detail: { summary: 'Set the guest prefill defaults of platform alpha' },
      },
    )
    .post(
      '/toggle/:sessionId',
      ({ caller, params: { sessionId }, query, body }) =>
        service.togglePrefill(deps, caller, {
          sessionId,
          service: query.service ?? 'alpha',
          isEnabled: body.enabled ?? false,
        }),
      {
        access: 'account',
        params: t.Object({ sessionId: Uuid }),
        query: t.Object({
          service: t.Optional(
            t.String({
              maxLength: 64,
              description: 'Platform: `alpha` (usual), `beta`, `gamma`, `delta` or `epsilon`',
            }),
          ),
        }),
        body: example(model.ToggleBody, { enabled: true }),
        response: { 200: model.Toggled, 404: ErrorBody },
        detail: { summary: 'Grant or withdraw prefill on one platform for one guest session' },
      },
    )

const threadedRoutes = (deps: AccessRouteParts, platform: 'beta' | 'epsilon') =>
  new Elysia({ name: `access/guest/${platform}`, tags: ['Access'] })
    .use(deps.access)
    .get('/config', () => service.prefillConfig(deps, platform), {
      access: 'session',
      response: { 200: model.ThreadedPrefillConfig },
      detail: { summary: `Guest prefill defaults of platform ${platform}` },
    })
    .post(
      '/config',
      ({ body }) => ({ success: true, ...service.savePrefillConfig(deps, platform, body) }),
      {
        access: 'account',
        body: example(model.ThreadedPrefillBody, {
          enabledByDefault: true,
          durationHours: 2,
          maxThreadCount: 8,
        }),
        response: { 200: model.ThreadedPrefillSaved, ...refused },
        detail: { summary: `Set the guest prefill defaults of platform ${platform}` },
      },
    )

const plainRoutes = (deps: AccessRouteParts, platform: 'gamma' | 'delta') =>
  new Elysia({ name: `access/guest/${platform}`, tags: ['Access'] })
    .use(deps.access)
    .get('/config', () => service.prefillConfig(deps, platform), {
      access: 'session',
      response: { 200: model.PlainPrefillConfig },
      detail: { summary: `Guest prefill defaults of platform ${platform}` },
    })
    .post(
      '/config',
      ({ body }) => ({ success: true, ...service.savePrefillConfig(deps, platform, body) }),
      {
        access: 'account',
        body: example(model.PlainPrefillBody, { enabledByDefault: true, durationHours: 2 }),
        response: { 200: model.PlainPrefillSaved, ...refused },
        detail: { summary: `Set the guest prefill defaults of platform ${platform}` },
      },
    )

const threaded = <const P extends 'beta' | 'epsilon'>(deps: AccessRouteParts, platform: P) =>
  new Elysia({ prefix: `/api/auth/guest/${platform}-prefill` as const }).use(
    threadedRoutes(deps, platform),
  )
const plain = <const P extends 'gamma' | 'delta'>(deps: AccessRouteParts, platform: P) =>
  new Elysia({ prefix: `/api/auth/guest/${platform}-prefill` as const }).use(
    plainRoutes(deps, platform),
  )

export const guestRoutes = (deps: AccessRouteParts) =>
  new Elysia({ name: 'access/guest' })
    .use(settingRoutes(deps))
    .use(alphaRoutes(deps))
    .use(threaded(deps, 'beta'))
    .use(plain(deps, 'gamma'))
    .use(plain(deps, 'delta'))
    .use(threaded(deps, 'epsilon'))
