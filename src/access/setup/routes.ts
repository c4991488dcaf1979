import { Elysia, t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { AccessRouteParts } from '../parts.ts'
import { ErrorBody, example, MessageResponse, succeeded } from '../../core/http/schema.ts'
import { requireSetupRight, setExternal, setOwnCredentials } from './database.ts'
import { CredentialsBody, ExternalBody, ExternalStored, KeyBody, OwnerBody } from './model.ts'
import { createOwner, openRecovery, recoverOwner } from './service.ts'

const refusals = { 400: ErrorBody, 401: ErrorBody, 403: ErrorBody, 404: ErrorBody, 409: ErrorBody }

/** Alternatives to the header: `Authorization: Bearer`, or the owner's session. */
const headers = t.Object({ 'x-api-key': t.Optional(t.String()) })

const ownerBody = example(OwnerBody, {
  username: 'owner',
  password: 'A long enough sentence',
  apiKey: 'the key from the log',
})

const ownerRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/account-setup')
    .post(
      '/first-admin',
      async ({ request, body }) =>
        succeeded(
          'The owner account was created; sign in with it',
          await createOwner(deps, { request, body }),
        ),
      {
        access: 'public',
        limit: 'auth',
        antiforgery: false,
        body: ownerBody,
        response: { 200: MessageResponse, ...refusals },
        detail: { summary: 'Create the owner account with the installation key' },
      },
    )
    .post(
      '/open-main-admin-recovery',
      ({ request, body }) =>
        succeeded(
          'Recovery of the owner password is open for an hour',
          openRecovery(deps, { request, body }),
        ),
      {
        access: 'public',
        limit: 'auth',
        antiforgery: false,
        body: example(KeyBody, { apiKey: 'the key from the log' }),
        response: { 200: MessageResponse, ...refusals },
        detail: { summary: "Open the owner's password recovery with the installation key" },
      },
    )
    .post(
      '/recover-main-admin',
      async ({ request, body }) =>
        succeeded(
          'The password was set; sign in with it',
          await recoverOwner(deps, { request, body }),
        ),
      {
        access: 'public',
        limit: 'auth',
        antiforgery: false,
        body: ownerBody,
        response: { 200: MessageResponse, ...refusals },
        detail: { summary: "Set the owner's new password while recovery is open" },
      },
    )

const databaseRoutes = (deps: AccessRouteParts) =>
  routesAt(deps.access, 'Access', '/api/Setup')
    .post(
      '/credentials',
      async ({ caller, request, body }) => {
        requireSetupRight(deps, caller, request)
        await setOwnCredentials(deps, caller, body)
        return { success: true, message: 'The database has the new password' }
      },
      {
        access: 'public',
        limit: 'auth',
        antiforgery: false,
        headers,
        body: example(CredentialsBody, { username: 'larder', password: 'A long enough sentence' }),
        response: { 200: MessageResponse, ...refusals },
        detail: { summary: "Set the private database's password" },
      },
    )
    .post(
      '/external',
      async ({ caller, request, body }) => {
        requireSetupRight(deps, caller, request)
        await setExternal(deps, caller, body)
        const message = 'The connection was tried and stored; restart the service to be sure'
        return { success: true, message, restartRequired: true }
      },
      {
        access: 'public',
        limit: 'auth',
        antiforgery: false,
        headers,
        body: example(ExternalBody, {
          host: 'db.lan',
          port: 5432,
          database: 'larder',
          username: 'larder',
          password: 'A long enough sentence',
        }),
        response: { 200: ExternalStored, ...refusals },
        detail: { summary: 'Set the connection to an external database' },
      },
    )

export const accountSetupRoutes = (deps: AccessRouteParts) =>
  new Elysia({ name: 'access/setup' }).use(ownerRoutes(deps)).use(databaseRoutes(deps))
