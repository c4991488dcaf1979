import { Elysia, t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { AccessRouteParts } from '../parts.ts'
import { ErrorBody, example, Uuid } from '../../core/http/schema.ts'
import { hasAccounts, listed, platforms, type Platform } from '../../platforms/platforms.ts'
import * as model from './model.ts'
import * as service from './service.ts'

const noStore = { 'cache-control': 'no-store, no-cache, must-revalidate, max-age=0' }
const refused = { 400: ErrorBody }

const settingRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/auth/guest')
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

const quoted = (platform: Platform) => `\`${platform}\``
const others = platforms.filter((platform) => platform !== 'alpha')

const threadedExample = { enabledByDefault: true, durationHours: 2, maxThreadCount: 8 }
const threadedBody = example(model.ThreadedPrefillBody, threadedExample)

const alphaRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/auth/guest/prefill')
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
        body: example(model.AlphaPrefillBody, threadedExample),
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
              description: `Platform: ${listed(['`alpha` (usual)', ...others.map(quoted)])}`,
            }),
          ),
        }),
        body: example(model.ToggleBody, { enabled: true }),
        response: { 200: model.Toggled, 404: ErrorBody },
        detail: { summary: 'Grant or withdraw prefill on one platform for one guest session' },
      },
    )

const threaded = {
  config: model.ThreadedPrefillConfig,
  body: threadedBody,
  saved: model.ThreadedPrefillSaved,
}
/** Without a thread limit; typed as if there were one. */
const plain = {
  config: model.PlainPrefillConfig,
  body: example(model.PlainPrefillBody, { enabledByDefault: true, durationHours: 2 }),
  saved: model.PlainPrefillSaved,
} as unknown as typeof threaded

/** Of a platform beside alpha. Typed as beta's. */
function besideRoutes(deps: AccessRouteParts, platform: Platform) {
  const prefix = `/api/auth/guest/${platform}-prefill` as '/api/auth/guest/beta-prefill'
  const { config, body, saved } = hasAccounts(platform) ? threaded : plain
  const routes = routesAt(deps.access, 'Access', prefix)
    .get('/config', () => service.prefillConfig(deps, platform), {
      access: 'session',
      response: { 200: config },
      detail: { summary: `Guest prefill defaults of platform ${platform}` },
    })
    .post(
      '/config',
      ({ body }) => ({ success: true, ...service.savePrefillConfig(deps, platform, body) }),
      {
        access: 'account',
        body,
        response: { 200: saved, ...refused },
        detail: { summary: `Set the guest prefill defaults of platform ${platform}` },
      },
    )
  // The outer instance has no prefix, which would count for the next platforms, too.
  return new Elysia().use(routes)
}

/** Alpha's routes have paths of their own. */
export const guestRoutes = (deps: AccessRouteParts) =>
  new Elysia({ name: 'access/guest' })
    .use(settingRoutes(deps))
    .use(alphaRoutes(deps))
    .use(
      others
        .map((platform) => besideRoutes(deps, platform))
        .reduce((mounted, next) => mounted.use(next)),
    )
