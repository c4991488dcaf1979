import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, example, Judged, MessageResponse, QueryFlag } from '../../core/http/schema.ts'
import { IntervalHours } from '../interval-hours.ts'
import type { CatalogueRouteParts } from '../parts.ts'
import {
  CrawlMode,
  DepotStatus,
  Imported,
  IncrementalCheck,
  IntervalChanged,
  ModeChanged,
  NamesApplied,
  RebuildProgress,
  RebuildStarted,
} from './model.ts'
import type { DepotService } from './service.ts'

/** An import of all of Steam takes minutes; the longest that a call may take. */
const importSeconds = 255
/** Asking Steam what changed includes logging on. */
const checkSeconds = 200

const failures = { 409: ErrorBody, 503: ErrorBody }

export const depotRoutes = (deps: CatalogueRouteParts, service: DepotService) =>
  routesAt(deps.access, 'Cache and Games', '/api/depots')
    .get('/status', () => service.status(), {
      access: 'account',
      response: { 200: DepotStatus, 503: ErrorBody },
      detail: { summary: 'State of the depot data sources' },
    })
    .use(rebuildRoutes(deps, service))
    .post('/import', ({ query }) => service.import(query.source), {
      access: 'account',
      idleSeconds: importSeconds,
      query: t.Object({
        source: t.Optional(t.String({ maxLength: 64, description: '`github` or `local`' })),
      }),
      response: { 200: Imported, 400: ErrorBody, ...failures },
      detail: { summary: 'Import depot mappings from a remote repository or local data' },
    })
    .patch('', () => service.apply(), {
      access: 'account',
      idleSeconds: importSeconds,
      response: { 200: NamesApplied, ...failures },
      detail: { summary: 'Apply depot mappings to the existing downloads' },
    })

const rebuildRoutes = (deps: CatalogueRouteParts, service: DepotService) =>
  routesAt(deps.access, 'Cache and Games', '/rebuild')
    .get('/check-incremental', ({ request }) => service.checkIncremental(request.signal), {
      access: 'account',
      idleSeconds: checkSeconds,
      response: { 200: IncrementalCheck, 503: ErrorBody },
      detail: { summary: 'Tell whether an incremental depot rebuild is viable' },
    })
    .get('/progress', () => service.progress(), {
      access: 'account',
      response: { 200: RebuildProgress, 503: ErrorBody },
      detail: { summary: 'Progress of the depot rebuild' },
    })
    .post('', ({ query, request }) => service.rebuild(query.incremental ?? false, request.signal), {
      access: 'account',
      idleSeconds: checkSeconds,
      query: t.Object({ incremental: QueryFlag }),
      response: { 200: RebuildStarted, ...failures },
      detail: { summary: 'Start a depot rebuild' },
    })
    .delete('', () => service.cancel(), {
      access: 'account',
      response: { 200: MessageResponse, 404: ErrorBody },
      detail: { summary: 'Cancel the running depot rebuild' },
    })
    .put('/config/interval', ({ body }) => service.setInterval(body), {
      access: 'account',
      body: example(IntervalHours, 24),
      response: { 200: IntervalChanged, 400: ErrorBody },
      detail: { summary: 'Set the interval of the automatic crawl, in hours' },
    })
    .put('/config/mode', ({ body }) => service.setMode(body), {
      access: 'account',
      body: example(Judged(CrawlMode), true),
      response: { 200: ModeChanged, 400: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Set the mode of the automatic crawl' },
    })
