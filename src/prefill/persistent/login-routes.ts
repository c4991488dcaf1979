import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import {
  Empty,
  ErrorBody,
  example,
  MessageOnlyResponse,
  QueryInt,
  withMessage,
} from '../../core/http/schema.ts'
import type { PrefillRouteParts } from '../parts.ts'
import * as model from './model.ts'
import { unlimitedSeconds } from '../sessions/routes.ts'
import { exampleSession, platform, prefix, refused } from './routes.ts'
import type { PersistentService } from './service.ts'

const text = t.Optional(t.String({ maxLength: 100 }))

/** The ends of sign-ins. */
const persistentLogoutRoutes = (deps: PrefillRouteParts, service: PersistentService) =>
  routesAt(deps.access, 'Prefill')
    .post(
      '/cancel-login',
      async ({ body }) => {
        const isCancelled = await service.cancelLogin(body)
        return { message: isCancelled ? 'Login cancelled' : 'Login already cancelled' }
      },
      {
        access: 'account',
        body: example(model.SessionBody, exampleSession),
        response: { 200: MessageOnlyResponse, ...refused },
        detail: { summary: 'Cancel a sign-in' },
      },
    )
    .post('/logout', ({ body }) => service.logout(body), {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      body: example(model.LoginBody, exampleSession),
      response: { 200: model.Logout, ...refused },
      detail: { summary: 'Sign out a persistent session' },
    })
    .post(
      '/clear-logins',
      async ({ caller }) => ({ services: await service.clearLogins(caller) }),
      {
        access: 'account',
        idleSeconds: unlimitedSeconds,
        response: { 200: model.ClearedLogins, 503: ErrorBody },
        detail: { summary: 'Delete the sign-ins of all platforms' },
      },
    )

/** Sign-ins of persistent sessions. */
export const persistentLoginRoutes = (deps: PrefillRouteParts, service: PersistentService) =>
  routesAt(deps.access, 'Prefill', prefix)
    .post('/login', ({ caller, body }) => service.login(caller, body), {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      body: example(model.LoginBody, { service: 'Alpha' }),
      response: { 200: model.LoginAnswer, ...refused },
      detail: { summary: 'Start or join a sign-in' },
    })
    .get(
      '/challenge',
      async ({ query, status }) => {
        const answer = await service.challenge(query)
        return answer ?? status(204, undefined)
      },
      {
        access: 'account',
        idleSeconds: unlimitedSeconds,
        query: t.Object({ service: platform, sessionId: text, timeoutSeconds: QueryInt }),
        response: { 200: model.LoginAnswer, 204: Empty, ...refused },
        detail: { summary: 'Wait for the next challenge of a sign-in' },
      },
    )
    .post(
      '/credential',
      async ({ body }) => withMessage('Credential sent', await service.credential(body)),
      {
        access: 'account',
        body: example(model.CredentialBody, {
          ...exampleSession,
          challenge: { challengeId: 'c1', credentialType: 'password' },
          credential: 'its password',
        }),
        response: { 200: MessageOnlyResponse, 403: ErrorBody, ...refused },
        detail: { summary: 'Answer the challenge of a sign-in' },
      },
    )
    .use(persistentLogoutRoutes(deps, service))

export const storedLoginRoutes = (deps: PrefillRouteParts, service: PersistentService) =>
  routesAt(deps.access, 'Prefill', '/api/ext/prefill/persistent').post(
    '/stored-login',
    ({ body }) => service.useStored(body),
    {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      body: example(model.SessionBody, exampleSession),
      response: { 200: model.LoggedIn, 403: ErrorBody, ...refused },
      detail: { summary: 'Sign a persistent session in with the account that is stored here' },
    },
  )
