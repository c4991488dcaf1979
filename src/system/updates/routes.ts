import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import type { SystemRouteParts } from '../parts.ts'
import * as model from './model.ts'
import type { UpdateCheck } from './service.ts'

export const updateRoutes = (deps: SystemRouteParts, updates: UpdateCheck) =>
  routesAt(deps.access, 'System', '/api/ext/updates')
    .get('', () => updates.view(), {
      access: 'account',
      response: { 200: model.Updates },
      detail: { summary: 'Whether a newer version is known, and whether it may be asked for' },
    })
    .put('', ({ body }) => updates.set(body), {
      access: 'admin',
      body: example(model.UpdatesBody, {
        address: 'https://releases.example.org/larder/latest.json',
        isAllowed: false,
      }),
      response: { 200: model.Updates, 400: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Set the address of the releases, and allow or forbid the check' },
    })
    .post('/check', () => updates.check(), {
      access: 'admin',
      response: { 200: model.Updates, 409: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Ask for the newest release now' },
    })
