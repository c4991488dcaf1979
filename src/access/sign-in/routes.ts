import { Elysia } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { AccessRouteParts } from '../parts.ts'
import { done, Empty, ErrorBody, example, MessageResponse } from '../../core/http/schema.ts'
import { startGuest } from '../guest/start.ts'
import { AuthStatus, LoginBody, LoginResponse, PasswordBody } from './model.ts'
import { changePassword } from './password-change.ts'
import { authStatus, endPrevious, login } from './service.ts'
import {
  clearedSessionLine,
  deviceLine,
  freshLines,
  sessionLine,
  statusLines,
} from './session-cookies.ts'

const noStore = {
  'Cache-Control': 'no-store, no-cache, must-revalidate, max-age=0',
  Pragma: 'no-cache',
  Expires: '0',
}

const sessionRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/auth')
    .get(
      '/status',
      async ({ request, caller, set }) => {
        const status = await authStatus(deps, caller)
        Object.assign(set.headers, noStore)
        set.headers['set-cookie'] = statusLines(deps, request, caller)
        return status
      },
      {
        access: 'public',
        response: { 200: AuthStatus },
        detail: {
          summary: "The caller's session and set-up status; issues the antiforgery cookie",
        },
      },
    )
    .post(
      '/login',
      async ({ request, body, set }) => {
        const session = await login(deps, request, body)
        endPrevious(deps, request)
        const device = deviceLine(deps, request, session.accountId)
        set.headers['set-cookie'] = [...freshLines(deps, request, session), device]
        const expiresAt = session.expiresAt.toISOString()
        return { success: true, sessionType: session.role, expiresAt }
      },
      {
        access: 'public',
        limit: 'auth',
        body: example(LoginBody, {
          apiKey: 'the key from the log',
          username: 'owner',
          password: 'A long enough sentence',
        }),
        response: { 200: LoginResponse, 401: ErrorBody },
        detail: { summary: 'Sign in with key, username and password' },
      },
    )
    .post(
      '/logout',
      ({ request, set }) => {
        // With authentication disabled everyone shares one session, which cannot be ended.
        const found = deps.control.shared === null ? deps.control.sessionOf(request) : null
        if (found !== null) deps.control.sessions.revoke(found.id, 'signedOut', found.type)
        set.headers['set-cookie'] = clearedSessionLine(deps, request)
        return { success: true, message: 'Signed out' }
      },
      {
        access: 'public',
        antiforgery: 'inSession',
        response: { 200: MessageResponse },
        detail: { summary: "End the caller's session and clear its cookie" },
      },
    )

const guestRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/auth')
    .post(
      '/guest',
      ({ request, set }) => {
        const session = startGuest(deps, deps.control.origin(request))
        endPrevious(deps, request)
        set.headers['set-cookie'] = freshLines(deps, request, session)
        const expiresAt = session.expiresAt.toISOString()
        return { success: true, sessionType: 'guest' as const, expiresAt }
      },
      {
        access: 'public',
        limit: 'auth',
        antiforgery: 'inSession',
        response: { 200: LoginResponse, 403: ErrorBody },
        detail: { summary: 'Start an expiring guest session' },
      },
    )
    .post('/heartbeat', () => done(), {
      access: 'session',
      response: { 200: Empty },
      detail: { summary: 'Report activity of the caller' },
    })

const accountRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/auth').post(
    '/password',
    async ({ request, caller, body, set }) => {
      const session = await changePassword(deps, caller, { request, body })
      set.headers['set-cookie'] = sessionLine(deps, request, session)
      return { success: true, message: 'Your password was changed' }
    },
    {
      access: 'session',
      limit: 'auth',
      body: example(PasswordBody, {
        currentPassword: 'A long enough sentence',
        newPassword: 'Another long sentence',
      }),
      response: { 200: MessageResponse, 400: ErrorBody, 401: ErrorBody, 403: ErrorBody },
      detail: { summary: 'Change the password of the signed-in account' },
    },
  )

export const signInRoutes = (deps: AccessRouteParts) =>
  new Elysia({ name: 'access/sign-in' })
    .use(sessionRoutes(deps))
    .use(guestRoutes(deps))
    .use(accountRoutes(deps))
