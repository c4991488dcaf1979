import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { AccessRouteParts } from '../parts.ts'
import { ErrorBody, example, MessageResponse } from '../../core/http/schema.ts'
import {
  AlphaKeyBody,
  AlphaKeyRefused,
  AlphaKeySaved,
  AlphaKeyStatus,
  AlphaKeyTest,
} from './model.ts'
import type { AlphaKeyService } from './service.ts'

/** Two requests to Steam of ten seconds each, plus a margin. */
const askSeconds = 30

export const alphaKeyRoutes = (deps: AccessRouteParts, service: AlphaKeyService) => {
  return routesAt(deps.access, 'Access', '/api/alpha-api-keys')
    .get('/status', ({ query }) => service.status(query.forceRefresh), {
      access: 'account',
      idleSeconds: askSeconds,
      query: t.Object({ forceRefresh: t.Boolean({ default: false }) }),
      response: { 200: AlphaKeyStatus },
      detail: {
        summary: 'Which Steam app lists are available, with or without the stored web key',
      },
    })
    .post('/test', ({ body }) => service.test(body ?? {}), {
      access: 'account',
      idleSeconds: askSeconds,
      body: example(Type.Optional(AlphaKeyBody), { apiKey: '0123456789ABCDEF0123456789ABCDEF' }),
      response: { 200: AlphaKeyTest, 400: AlphaKeyRefused },
      detail: { summary: 'Test a Steam Web API key without storing it' },
    })
    .post(
      '',
      async ({ body, set }) => {
        const saved = await service.save(body ?? {})
        set.headers.location = '/api/alpha-api-keys/status'
        return saved
      },
      {
        access: 'account',
        idleSeconds: askSeconds,
        body: example(Type.Optional(AlphaKeyBody), { apiKey: '0123456789ABCDEF0123456789ABCDEF' }),
        response: { 200: AlphaKeySaved, 400: AlphaKeyRefused, 503: ErrorBody },
        detail: { summary: 'Test a Steam Web API key and store it encrypted' },
      },
    )
    .delete('/current', () => service.remove(), {
      access: 'account',
      response: { 200: MessageResponse },
      detail: { summary: 'Remove the stored Steam Web API key' },
    })
}
