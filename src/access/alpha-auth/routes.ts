import { Type } from '@sinclair/typebox'
import { routesAt } from '../../core/http/access.ts'
import type { AccessRouteParts } from '../parts.ts'
import { ErrorBody, example, MessageResponse } from '../../core/http/schema.ts'
import {
  AlphaAuthStatus,
  AlphaLoginBody,
  AlphaLoginReport,
  AlphaMode,
  AlphaModeBody,
} from './model.ts'
import type { AlphaAuthService } from './service.ts'

/** The longest a server lets one call wait: approving on the phone takes time. */
const loginSeconds = 255

export const alphaAuthRoutes = (deps: AccessRouteParts, service: AlphaAuthService) => {
  return routesAt(deps.access, 'Access', '/api/alpha-auth')
    .get('/status', () => service.status(), {
      access: 'account',
      response: { 200: AlphaAuthStatus },
      detail: { summary: 'How Steam is used, and with which account' },
    })
    .post('/login', ({ body }) => service.login(body ?? {}), {
      access: 'account',
      idleSeconds: loginSeconds,
      limit: 'alphaAuth',
      body: example(Type.Optional(AlphaLoginBody), {
        username: 'steam account',
        password: 'its password',
        twoFactorCode: 'ABCDE',
      }),
      response: { 200: AlphaLoginReport, 400: ErrorBody },
      detail: { summary: 'Sign in to Steam with name, password and Steam Guard' },
    })
    .put('/mode', ({ body }) => service.chooseMode(body ?? {}), {
      access: 'account',
      body: example(Type.Optional(AlphaModeBody), { mode: 'anonymous' }),
      response: { 200: AlphaMode, 400: ErrorBody },
      detail: { summary: 'Choose whether Steam is used with an account' },
    })
    .delete('', () => service.logout(), {
      access: 'account',
      response: { 200: MessageResponse },
      detail: { summary: 'Sign out of Steam and remove the account' },
    })
}
