import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { CacheRouteParts } from '../parts.ts'
import { ErrorBody, example, QueryFlag } from '../../core/http/schema.ts'
import { ScanStatus } from '../../core/operations/scan-status.ts'
import { AcceptBody, CacheSize, IndexStates, NoCacheSize, Queued, Scanning } from './model.ts'
import { createCacheSize, liveScanMs } from './service.ts'

const SizeQuery = t.Object({
  datasource: t.Optional(t.String({ maxLength: 100 })),
  force: QueryFlag,
})

export const sizeRoutes = (deps: CacheRouteParts) => {
  const service = createCacheSize(deps)
  return routesAt(deps.access, 'Cache and Games')
    .get(
      '/api/cache/size',
      async ({ query, status }) => {
        const { datasource, force = false } = query
        const isOne = datasource !== undefined && datasource !== ''
        if (force && !isOne) return status(202, service.scan())
        const answer = isOne ? await service.live(datasource) : await service.last()
        if (answer.kind === 'none') return { available: false as const }
        if (answer.kind === 'size') return answer.size
        const { operationId } = answer
        const running = { queued: false, alreadyRunning: true, status: 'alreadyRunning' } as const
        return status(202, { scanning: true, operationId, ...running })
      },
      {
        access: 'account',
        idleSeconds: liveScanMs / 1000 + 20,
        query: SizeQuery,
        response: {
          200: Type.Union([CacheSize, NoCacheSize]),
          202: Type.Union([Scanning, Queued]),
          404: ErrorBody,
          503: ErrorBody,
        },
        detail: {
          summary: 'Read the stored size, scan one cache now, or queue a new size scan',
        },
      },
    )
    .get('/api/cache/size/scan/status', () => service.status(), {
      access: 'account',
      response: { 200: ScanStatus },
      detail: { summary: 'Progress of the cache size scan' },
    })
    .get('/api/ext/cache/index', () => service.states(), {
      access: 'account',
      response: { 200: IndexStates, 503: ErrorBody },
      detail: { summary: "State of each cache's index, and why its last walk failed" },
    })
    .post(
      '/api/ext/cache/index/accept',
      ({ body, status }) => {
        return status(202, service.accept(body.datasource))
      },
      {
        access: 'account',
        body: example(AcceptBody, { datasource: 'default' }),
        response: { 202: Queued, 400: ErrorBody, 404: ErrorBody, 503: ErrorBody },
        detail: { summary: 'Accept a cache that is empty or lost nearly all of its files' },
      },
    )
}
