import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MismatchChoice } from '../../engines/logs/wire.ts'
import type { SystemRouteParts } from '../parts.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import { mendLink } from './service.ts'

const Choice = Type.Object({ choice: MismatchChoice })

export const historyLinkRoutes = (deps: SystemRouteParts) =>
  new Elysia({ name: 'system/history-link', prefix: '/api/ext/history-link', tags: ['System'] })
    .use(deps.access)
    .post('', ({ body }) => mendLink(deps, body.choice), {
      access: 'admin',
      body: example(Choice, { choice: 'goOn' }),
      response: { 200: Choice, 409: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Go on when the positions of the logs and the history differ' },
    })
