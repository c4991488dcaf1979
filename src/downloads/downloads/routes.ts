import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { ErrorBody, QueryFlag, RowId, UnixSeconds } from '../../core/http/schema.ts'
import { scopeOf } from '../reports/scope.ts'
import {
  Download,
  DownloadSpeeds,
  DownloadWithEvents,
  DownloadWithTags,
  retroParameters,
  RetroPage,
} from './model.ts'
import type { Downloads } from './service.ts'

/** Sessions of one row per answer. */
const idsMax = 200
const Ids = t.String({ pattern: `^[0-9]{1,15}(,[0-9]{1,15}){0,${idsMax - 1}}$` })
const refusals = { 400: ErrorBody, 404: ErrorBody, 503: ErrorBody }

export const downloadRoutes = (deps: DownloadsRouteParts, downloads: Downloads) =>
  routesAt(deps.access, 'Downloads and Reporting', '/api/downloads')
    .get('/retro', ({ query }) => downloads.retro(query), {
      access: 'session',
      query: t.Object(retroParameters),
      response: { 200: RetroPage, ...refusals },
      detail: { summary: 'Paged, grouped view of the downloads' },
    })
    .get('/with-associations', ({ query }) => downloads.withTags(scopeOf(query), query.count), {
      access: 'session',
      query: t.Object({
        count: t.Optional(t.Integer({ minimum: 1 })),
        startTime: UnixSeconds,
        endTime: UnixSeconds,
        includePrefill: QueryFlag,
      }),
      response: { 200: Type.Array(DownloadWithTags), 400: ErrorBody, 503: ErrorBody },
      detail: { summary: 'List downloads with their event tags' },
    })
    .get('/:id', ({ params }) => downloads.one(params.id), {
      access: 'session',
      params: t.Object({ id: RowId }),
      response: { 200: DownloadWithEvents, 404: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Read one download with its events' },
    })

export const sessionRoutes = (deps: DownloadsRouteParts, downloads: Downloads) =>
  routesAt(deps.access, 'Downloads and Reporting', '/api/ext')
    .get('/downloads', ({ query }) => downloads.some(query.ids.split(',').map(Number)), {
      access: 'session',
      query: t.Object({ ids: Ids }),
      response: { 200: Type.Object({ items: Type.Array(Download) }), ...refusals },
      detail: { summary: 'Read the downloads of one row of the view' },
    })
    .get('/downloads/:id/speeds', ({ params }) => downloads.speeds(params.id), {
      access: 'session',
      params: t.Object({ id: RowId }),
      response: { 200: DownloadSpeeds, 404: ErrorBody, 503: ErrorBody },
      detail: { summary: 'The speed of one download beside the best of its client and of all' },
    })
