import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { AccessRouteParts } from '../parts.ts'
import { ErrorBody, example, MessageResponse, Uuid, succeeded } from '../../core/http/schema.ts'
import { clearedSessionLine } from '../sign-in/session-cookies.ts'
import { Account, AccountChange, DisabledBody, NewAccount, RoleBody } from './model.ts'
import * as service from './service.ts'

const params = t.Object({ id: Uuid })
const refusals = { 400: ErrorBody, 403: ErrorBody, 404: ErrorBody, 409: ErrorBody }
const changed = { 200: Account, ...refusals }

const accountListRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/accounts')
    .get('', ({ caller }) => service.listAccounts(deps, caller), {
      access: 'account',
      response: { 200: Type.Array(Account) },
      detail: { summary: 'List the accounts visible to the caller, by name' },
    })
    .get('/:id', ({ caller, params: { id } }) => service.readAccount(deps, caller, id), {
      access: 'account',
      params,
      response: { 200: Account, 404: ErrorBody },
      detail: { summary: 'Get one account' },
    })
    .post(
      '',
      async ({ caller, body, set }) => {
        const account = await service.createAccount(deps, caller, body)
        set.headers.location = `/api/accounts/${account.id}`
        return account
      },
      {
        access: 'account',
        limit: 'accounts',
        body: example(NewAccount, {
          username: 'anna',
          password: 'A long enough sentence',
          role: 'user',
        }),
        response: { 200: Account, ...refusals },
        detail: { summary: 'Create an account' },
      },
    )
    .delete(
      '/:id',
      ({ caller, params: { id } }) =>
        succeeded('The account was deleted', service.deleteAccount(deps, caller, id)),
      {
        access: 'account',
        params,
        response: { 200: MessageResponse, ...refusals },
        detail: { summary: 'Delete an account' },
      },
    )
    .post(
      '/wipe',
      ({ caller, request, set }) => {
        service.wipeAccounts(deps, caller)
        set.headers['set-cookie'] = clearedSessionLine(deps, request)
        return { success: true, message: 'All accounts were deleted' }
      },
      {
        access: 'owner',
        ownerStageKey: 'errors.accounts.wipeRequiresMainAdmin',
        response: { 200: MessageResponse, 403: ErrorBody },
        detail: { summary: 'Delete all accounts and end all sessions' },
      },
    )

const accountChangeRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/accounts')
    .put(
      '/:id',
      ({ caller, params: { id }, body }) => service.changeAccount(deps, caller, { id, body }),
      {
        access: 'account',
        limit: 'accounts',
        params,
        body: example(AccountChange, { username: 'anna', password: 'Another long sentence' }),
        response: changed,
        detail: { summary: 'Rename an account and optionally set its password' },
      },
    )
    .put(
      '/:id/disabled',
      ({ caller, params: { id }, body }) =>
        service.setDisabled(deps, caller, { id, isDisabled: body.disabled }),
      {
        access: 'account',
        params,
        body: example(DisabledBody, { disabled: true }),
        response: changed,
        detail: { summary: 'Disable or enable an account' },
      },
    )
    .put(
      '/:id/role',
      ({ caller, params: { id }, body }) => service.setRole(deps, caller, { id, role: body.role }),
      {
        access: 'account',
        params,
        body: example(RoleBody, { role: 'user' }),
        response: changed,
        detail: { summary: "Set an account's role to admin or user" },
      },
    )

export const accountRoutes = (deps: AccessRouteParts) =>
  new Elysia({ name: 'access/accounts', tags: ['Access'] })
    .use(accountListRoutes(deps))
    .use(accountChangeRoutes(deps))
