import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { done, Empty, ErrorBody, example } from '../../core/http/schema.ts'
import type { PrefillRouteParts } from '../parts.ts'
import { appIdsBytesMax, DaemonSession, PrefillResult, QueuedRun } from '../sessions/model.ts'
import { runAnswer, unlimitedSeconds } from '../sessions/routes.ts'
import * as model from './model.ts'
import type { Persistent } from './persistent.ts'
import type { PersistentService } from './service.ts'

export const prefix = '/api/system/prefill/persistent'
export const refused = {
  400: ErrorBody,
  404: model.StateError,
  409: model.StateError,
  503: ErrorBody,
}
export const exampleSession = {
  service: 'Alpha',
  sessionId: '0d4c2f6a-6f5e-4c1b-9a53-2f1d7c9e8b40',
}
export const platform = t.Optional(
  t.String({ maxLength: 100, description: 'PrefillPlatform, by name or number' }),
)

export const persistentRoutes = (deps: PrefillRouteParts, service: PersistentService) =>
  routesAt(deps.access, 'Prefill', prefix)
    .post('/start', ({ body }) => service.start(body), {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      body: example(model.StartBody, { service: 'Alpha' }),
      response: { 200: DaemonSession, ...refused },
      detail: { summary: 'Start the persistent session of a platform' },
    })
    .post('/stop', async ({ caller, body }) => done(await service.stop(caller, body.sessionId)), {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      body: example(model.StopBody, { sessionId: exampleSession.sessionId }),
      response: { 200: Empty, ...refused },
      detail: { summary: 'Stop a persistent session and erase its sign-in' },
    })
    .get('/list', () => service.list(), {
      access: 'account',
      response: { 200: t.Array(model.PersistentSession) },
      detail: { summary: 'Persistent sessions of all platforms' },
    })
    .get('/games', ({ query }) => service.games(query.service), {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      query: t.Object({ service: platform }),
      response: { 200: model.Games, ...refused },
      detail: { summary: 'Games of the platform’s persistent session' },
    })

export const persistentRunRoutes = (deps: PrefillRouteParts, service: PersistentService) =>
  routesAt(deps.access, 'Prefill', prefix)
    .post('/selected-apps', async ({ body }) => done(await service.select(body)), {
      access: 'account',
      body: example(model.SelectedAppsBody, { service: 'Alpha', appIds: ['440', '730'] }),
      bodyBytesMax: appIdsBytesMax,
      response: { 200: Empty, ...refused },
      detail: { summary: 'Select the apps of the next prefill' },
    })
    .post(
      '/prefill',
      async ({ body, request, status }) => {
        const answer = await runAnswer(await service.prefill(body), request)
        return answer.status === 202 ? status(202, answer.body) : answer.body
      },
      {
        access: 'account',
        idleSeconds: unlimitedSeconds,
        body: example(model.PrefillBody, { service: 'Alpha', recent: true, force: false }),
        bodyBytesMax: appIdsBytesMax,
        response: { 200: PrefillResult, 202: QueuedRun, ...refused },
        detail: {
          summary: 'Run a prefill and wait for its end; with `Prefer: respond-async` only start it',
        },
      },
    )
    .post('/cancel-prefill', async ({ body }) => done(await service.cancelPrefill(body)), {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      body: example(model.SessionBody, exampleSession),
      response: { 200: Empty, ...refused },
      detail: { summary: 'Cancel the running prefill' },
    })
    .post('/edit-session-cleanup', async ({ body }) => done(await service.cleanUp(body)), {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      body: example(model.CleanupBody, {
        editSessionId: exampleSession.sessionId,
        cleanupId: '5b0f7f0e-52a4-4f3d-8c58-0a9a3c1e6d77',
        services: [{ service: 'Alpha', baselineSelectedAppIds: ['440'] }],
      }),
      bodyBytesMax: appIdsBytesMax,
      response: { 200: Empty, ...refused },
      detail: { summary: 'Undo what an abandoned edit session did' },
    })

export const validityRoutes = (deps: PrefillRouteParts, persistent: Persistent) =>
  routesAt(deps.access, 'Prefill', prefix)
    .get('/validity', () => ({ days: deps.settings.get('prefill.validityDays') }), {
      access: 'account',
      response: { 200: model.Validity },
      detail: { summary: 'Days until a persistent session has to sign in again' },
    })
    .put(
      '/validity',
      ({ body: { days } }) => {
        persistent.setValidity(days)
        return { days }
      },
      {
        access: 'account',
        body: example(model.ValidityBody, { days: 90 }),
        response: { 200: model.Validity, 400: ErrorBody, 503: ErrorBody },
        detail: { summary: 'Set the days until a persistent session has to sign in again' },
      },
    )
