import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { done, Empty, ErrorBody, example, QueryInt } from '../../core/http/schema.ts'
import type { PrefillRouteParts } from '../parts.ts'
import { LoginAnswer, Logout } from '../persistent/model.ts'
import { refused } from '../persistent/routes.ts'
import { unlimitedSeconds } from '../sessions/routes.ts'
import { AccountCredentialBody, NewAccountBody, PrefillAccount } from './model.ts'
import type { Accounts } from './service.ts'

const params = t.Object({ id: t.String({ maxLength: 40 }) })

const prefix = '/api/ext/prefill/accounts'

const accountLoginRoutes = (deps: PrefillRouteParts, accounts: Accounts) =>
  routesAt(deps.access, 'Prefill')
    .post('/:id/login', ({ caller, params: { id } }) => accounts.login(caller, id), {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      params,
      response: { 200: LoginAnswer, ...refused },
      detail: { summary: 'Start or join the sign-in of an account' },
    })
    .get(
      '/:id/login/challenge',
      async ({ params: { id }, query, status }) => {
        const answer = await accounts.challenge(id, query.timeoutSeconds)
        return answer ?? status(204, undefined)
      },
      {
        access: 'account',
        idleSeconds: unlimitedSeconds,
        params,
        query: t.Object({ timeoutSeconds: QueryInt }),
        response: { 200: LoginAnswer, 204: Empty, ...refused },
        detail: { summary: 'Wait for the next challenge of an account’s sign-in' },
      },
    )
    .post(
      '/:id/login/credential',
      async ({ params: { id }, body }) => done(await accounts.credential(id, body)),
      {
        access: 'account',
        params,
        body: example(AccountCredentialBody, { challengeId: 'c1', credential: 'its password' }),
        response: { 200: Empty, 403: ErrorBody, ...refused },
        detail: { summary: 'Answer the challenge of an account’s sign-in' },
      },
    )
    .post('/:id/login/cancel', async ({ params: { id } }) => done(await accounts.cancelLogin(id)), {
      access: 'account',
      params,
      response: { 200: Empty, ...refused },
      detail: { summary: 'Cancel the sign-in of an account' },
    })
    .post('/:id/logout', ({ params: { id } }) => accounts.logout(id), {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      params,
      response: { 200: Logout, ...refused },
      detail: { summary: 'Sign an account out; it stays in the list' },
    })

export const accountRoutes = (deps: PrefillRouteParts, accounts: Accounts) =>
  routesAt(deps.access, 'Prefill', prefix)
    .get('', () => accounts.list(), {
      access: 'account',
      response: { 200: t.Array(PrefillAccount) },
      detail: { summary: 'Accounts of all platforms that prefill with an account' },
    })
    .post('', ({ body }) => accounts.add(body.platform), {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      body: example(NewAccountBody, { platform: 'alpha' }),
      response: { 200: PrefillAccount, ...refused },
      detail: { summary: 'Add an account to a platform and start its session' },
    })
    .post('/:id/start', ({ params: { id } }) => accounts.start(id), {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      params,
      response: { 200: PrefillAccount, ...refused },
      detail: { summary: 'Start the session of an account' },
    })
    .delete('/:id', async ({ caller, params: { id } }) => done(await accounts.remove(caller, id)), {
      access: 'account',
      idleSeconds: unlimitedSeconds,
      params,
      response: { 200: Empty, ...refused },
      detail: { summary: 'Sign an account out and remove it; not the first one of a platform' },
    })
    .use(accountLoginRoutes(deps, accounts))
