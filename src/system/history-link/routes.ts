import { Elysia } from 'elysia'
import type { SystemRouteParts } from '../parts.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import * as model from './model.ts'
import { mendLink } from './service.ts'

export const historyLinkRoutes = (deps: SystemRouteParts) =>
  new Elysia({ name: 'system/history-link', prefix: '/api/ext/history-link', tags: ['System'] })
    .use(deps.access)
    .post('', ({ body }) => mendLink(deps, body.choice), {
      access: 'admin',
      body: example(model.LinkBody, { choice: 'goOn' }),
      response: { 200: model.LinkMended, 409: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Go on when the positions of the logs and the history differ' },
    })
