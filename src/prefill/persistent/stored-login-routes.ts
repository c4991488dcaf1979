import { Elysia } from 'elysia'
import { ErrorBody } from '../../core/http/schema.ts'
import type { PrefillRouteParts } from '../parts.ts'
import { LoggedIn, SessionBody } from './model.ts'
import { refused, unlimitedSeconds } from './routes.ts'
import type { PersistentService } from './service.ts'

export const storedLoginRoutes = (deps: PrefillRouteParts, service: PersistentService) =>
  new Elysia({
    name: 'prefill/stored-login',
    prefix: '/api/ext/prefill/persistent',
    tags: ['Prefill'],
  })
    .use(deps.access)
    .post('/stored-login', ({ body }) => service.useStored(body), {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      body: SessionBody,
      response: { 200: LoggedIn, 403: ErrorBody, ...refused },
      detail: { summary: 'Sign a persistent session in with the account that is stored here' },
    })
