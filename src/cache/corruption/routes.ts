import { routesAt } from '../../core/http/access.ts'
import { detectionQuery } from './detection.ts'
import { t } from 'elysia'
import { WhenAway } from '../away/away.ts'
import type { CacheRouteParts } from '../parts.ts'
import { Empty, ErrorBody, Uuid, done, named } from '../../core/http/schema.ts'
import {
  AllRemovalStarted,
  CachedCorruption,
  Candidates,
  DetectionStarted,
  DetectionStatus,
  ScanHistory,
  ServiceRemovalStarted,
} from './model.ts'
import type { CorruptionService } from './service.ts'

const word = detectionQuery.scanMode
const service = t.String({ maxLength: 200, description: 'Name of a service, as in the access log' })
/** Lists of ids in a query; the head of a request has at most 16 KiB. */
const list = t.Optional(t.String({ maxLength: 16_000 }))
const failures = { 400: ErrorBody, 404: ErrorBody, 409: ErrorBody, 503: ErrorBody }

/** Corruption scans and their findings. */
export const corruptionRoutes = (deps: CacheRouteParts, corruption: CorruptionService) =>
  routesAt(deps.access, 'Cache and Games', '/api/cache')
    .post(
      '/corruption/detect',
      async ({ query, status }) => status(202, await corruption.detect(query)),
      {
        access: 'account',
        query: t.Object(detectionQuery),
        response: { 202: DetectionStarted, 400: ErrorBody, 409: ErrorBody, 503: ErrorBody },
        detail: { summary: 'Start a corruption scan in the background' },
      },
    )
    .get('/corruption/detect/status', () => corruption.status(), {
      access: 'account',
      response: { 200: DetectionStatus },
      detail: { summary: 'Progress of the corruption scan' },
    })
    .get('/corruption/cached', ({ query }) => corruption.cached(query.detectionMethod), {
      access: 'account',
      query: t.Object({ detectionMethod: word }),
      response: { 200: CachedCorruption, 400: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Stored result of the latest corruption scan' },
    })
    .get('/corruption/history', () => corruption.history(), {
      access: 'account',
      response: { 200: ScanHistory, 503: ErrorBody },
      detail: { summary: 'Retained corruption scans, current and past' },
    })
    .get(
      '/corruption/history/:scanId/services/:service',
      ({ params }) => corruption.evidence(params.scanId, params.service),
      {
        access: 'account',
        params: t.Object({ scanId: Uuid, service }),
        response: { 200: Candidates, 400: ErrorBody, 404: ErrorBody, 503: ErrorBody },
        detail: { summary: 'Evidence of one saved scan for one service' },
      },
    )
    .delete(
      '/corruption/history/:scanId',
      async ({ params }) => done(await corruption.forget(params.scanId)),
      {
        access: 'account',
        params: t.Object({ scanId: Uuid }),
        response: { 200: Empty, 404: ErrorBody, 409: ErrorBody, 503: ErrorBody },
        detail: { summary: 'Delete a saved scan and its evidence' },
      },
    )

/** Removal of a scan's findings. */
export const corruptionRemovalRoutes = (deps: CacheRouteParts, corruption: CorruptionService) =>
  routesAt(deps.access, 'Cache and Games', '/api/cache')
    .delete('/corruption', ({ query }) => corruption.removeAll(query), {
      access: 'account',
      query: t.Object({ scanId: word, services: list, whenAway: WhenAway }),
      response: { 200: AllRemovalStarted, ...failures },
      detail: { summary: 'Remove corrupted files for all services at once' },
    })
    .get(
      '/services/:name/corruption',
      ({ params, query }) => corruption.ofService(params.name, query.scanId),
      {
        access: 'account',
        params: t.Object({ name: named(service, 'service') }),
        query: t.Object({ scanId: word }),
        response: { 200: Candidates, ...failures },
        detail: { summary: 'Corruption details of one service' },
      },
    )
    .delete(
      '/services/:name/corruption',
      async ({ params, query, status }) =>
        status(202, await corruption.removeService(params.name, query)),
      {
        access: 'account',
        params: t.Object({ name: named(service, 'service') }),
        query: t.Object({ scanId: word, candidateIds: list, whenAway: WhenAway }),
        response: { 202: ServiceRemovalStarted, ...failures },
        detail: {
          summary: 'Remove the corrupted files that an earlier scan found for one service',
        },
      },
    )
