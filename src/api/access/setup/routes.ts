import { Elysia } from 'elysia'
import type { RouteDeps } from '../../../deps.ts'
import { ErrorBody, MessageResponse } from '../../../http/schema.ts'
import { OwnerBody } from './model.ts'
import { createOwner } from './service.ts'

const refusals = { 400: ErrorBody, 401: ErrorBody, 403: ErrorBody, 404: ErrorBody, 409: ErrorBody }

export const accountSetupRoutes = (deps: RouteDeps) =>
  new Elysia({ name: 'access/setup', prefix: '/api/account-setup', tags: ['Access'] })
    .use(deps.access)
    .post(
      '/first-admin',
      async ({ body }) => {
        await createOwner(deps, body)
        return { success: true, message: 'The owner account was created; sign in with it' }
      },
      {
        access: 'public',
        body: OwnerBody,
        response: { 200: MessageResponse, ...refusals },
        detail: { summary: 'Create the owner account with the installation key' },
      },
    )
