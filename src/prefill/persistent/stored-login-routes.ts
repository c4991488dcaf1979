import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import type { PrefillRouteParts } from '../parts.ts'
import { LoggedIn, SessionBody } from './model.ts'
import { refused, unlimitedSeconds } from './routes.ts'
import type { PersistentService } from './service.ts'

export const storedLoginRoutes = (deps: PrefillRouteParts, service: PersistentService) =>
  routesAt(deps.access, 'Prefill', '/api/ext/prefill/persistent').post(
    '/stored-login',
    ({ body }) => service.useStored(body),
    {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      body: example(SessionBody, {
        service: 'Alpha',
        sessionId: '0d4c2f6a-6f5e-4c1b-9a53-2f1d7c9e8b40',
      }),
      response: { 200: LoggedIn, 403: ErrorBody, ...refused },
      detail: { summary: 'Sign a persistent session in with the account that is stored here' },
    },
  )
