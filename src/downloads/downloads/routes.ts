import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { DownloadsRouteParts } from '../parts.ts'
import { ErrorBody, RowId, UnixSeconds } from '../../core/http/schema.ts'
import { scopeOf } from '../reports/scope.ts'
import { DownloadWithEvents, DownloadWithTags, RetroPage } from './model.ts'
import type { Downloads } from './service.ts'

const Flag = t.Optional(t.Boolean())
const Word = t.Optional(t.String({ maxLength: 200 }))
const refusals = { 400: ErrorBody, 404: ErrorBody, 503: ErrorBody }

/** Filters and order of downloads, in the view and its export. */
export const filterQuery = {
  Sort: Word,
  Service: Word,
  Game: Word,
  Client: Word,
  Search: Word,
  HideLocalhost: Flag,
  ShowZeroBytes: Flag,
  HideUnknown: Flag,
  GroupByGame: Flag,
  GroupByService: Flag,
  StartTime: UnixSeconds,
  EndTime: UnixSeconds,
  EventId: t.Optional(RowId),
  HitMiss: Word,
  includePrefill: Flag,
}

const retroQuery = t.Object({
  ...filterQuery,
  Page: t.Optional(t.Integer()),
  PageSize: t.Optional(t.Integer()),
})

export const downloadRoutes = (deps: DownloadsRouteParts, downloads: Downloads) =>
  new Elysia({
    name: 'downloads/downloads',
    prefix: '/api/downloads',
    tags: ['Downloads and Reporting'],
  })
    .use(deps.access)
    .get('/retro', ({ query }) => downloads.retro(query), {
      access: 'session',
      query: retroQuery,
      response: { 200: RetroPage, ...refusals },
      detail: { summary: 'Paged, grouped view of the downloads' },
    })
    .get('/with-associations', ({ query }) => downloads.withTags(scopeOf(query), query.count), {
      access: 'session',
      query: t.Object({
        count: t.Optional(t.Integer({ minimum: 1 })),
        startTime: UnixSeconds,
        endTime: UnixSeconds,
        includePrefill: Flag,
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
