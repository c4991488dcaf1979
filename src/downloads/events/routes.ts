import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import {
  Empty,
  done,
  ErrorBody,
  example,
  MessageOnlyResponse,
  named,
  RowId,
  UnixSeconds,
} from '../../core/http/schema.ts'
import { Download } from '../downloads/model.ts'
import type { Reports } from '../reports/reports.ts'
import { feedRoutes } from './feed-routes.ts'
import type { Filling } from './filling.ts'
import {
  CalendarEvent,
  DownloadIds,
  EventBody,
  EventDownloadsQuery,
  TagsByDownload,
} from './model.ts'
import { Events } from './service.ts'

const params = t.Object({ id: RowId })
const away = { 503: ErrorBody }
const unknown = { 404: ErrorBody, ...away }

const readRoutes = (deps: DownloadsRouteParts, events: Events) =>
  routesAt(deps.access, 'Downloads and Reporting', '/api/events')
    .get('', () => events.list(), {
      access: 'session',
      response: { 200: Type.Array(CalendarEvent), ...away },
      detail: { summary: 'List all events' },
    })
    .get('/active', () => events.active(), {
      access: 'session',
      response: { 200: Type.Array(CalendarEvent), ...away },
      detail: { summary: 'List the current events' },
    })
    .get('/calendar', ({ query }) => events.calendar(query.start ?? 0, query.end ?? 0), {
      access: 'session',
      query: t.Object({ start: UnixSeconds, end: UnixSeconds }),
      response: { 200: Type.Array(CalendarEvent), 400: ErrorBody, ...away },
      detail: { summary: 'List the events of a calendar range' },
    })
    .get('/:id', ({ params: { id } }) => events.one(id), {
      access: 'session',
      params,
      response: { 200: CalendarEvent, ...unknown },
      detail: { summary: 'Read one event' },
    })
    .get('/:id/downloads', ({ params: { id }, query }) => events.downloads(id, query), {
      access: 'session',
      params,
      query: EventDownloadsQuery,
      response: { 200: Type.Array(Download), 400: ErrorBody, ...unknown },
      detail: { summary: 'List the downloads of an event' },
    })

const writeRoutes = (deps: DownloadsRouteParts, events: Events) =>
  routesAt(deps.access, 'Downloads and Reporting', '/api/events')
    .post(
      '',
      async ({ body, set }) => {
        const event = await events.create(body)
        set.headers.location = `/api/events/${event.id}`
        return event
      },
      {
        access: 'account',
        body: example(EventBody, {
          name: 'LAN party',
          startTime: 1_790_000_000,
          endTime: 1_790_172_800,
          colorIndex: 3,
        }),
        response: { 200: CalendarEvent, 400: ErrorBody, ...away },
        detail: { summary: 'Create an event' },
      },
    )
    .put('/:id', ({ params: { id }, body }) => events.update(id, body), {
      access: 'account',
      params,
      body: example(EventBody, {
        name: 'LAN party',
        startTime: 1_790_000_000,
        endTime: 1_790_172_800,
        colorIndex: 3,
      }),
      response: { 200: CalendarEvent, 400: ErrorBody, ...unknown },
      detail: { summary: 'Change an event' },
    })
    .delete('/:id', async ({ params: { id } }) => done(await events.delete(id)), {
      access: 'account',
      params,
      response: { 200: Empty, ...unknown },
      detail: { summary: 'Delete an event' },
    })

const tagParams = t.Object({
  id: named({ ...RowId, description: 'Id of an event' }, 'eventId'),
  downloadId: RowId,
})

const tagRoutes = (deps: DownloadsRouteParts, events: Events) =>
  routesAt(deps.access, 'Downloads and Reporting', '/api')
    .post(
      '/events/:id/downloads/:downloadId',
      async ({ params: { id: eventId, downloadId } }) => {
        await events.tag(eventId, downloadId)
        return { message: 'The download was tagged' }
      },
      {
        access: 'account',
        params: tagParams,
        response: { 200: MessageOnlyResponse, ...unknown },
        detail: { summary: 'Tag a download with an event' },
      },
    )
    .delete(
      '/events/:id/downloads/:downloadId',
      async ({ params: { id: eventId, downloadId } }) =>
        done(await events.untag(eventId, downloadId)),
      {
        access: 'account',
        params: tagParams,
        response: { 200: Empty, ...away },
        detail: { summary: "Remove an event's tag from a download" },
      },
    )
    .post('/downloads/batch-download-events', ({ body }) => events.tagsOf(body.downloadIds ?? []), {
      access: 'session',
      body: example(DownloadIds, { downloadIds: [1, 2] }),
      response: { 200: TagsByDownload, ...away },
      detail: { summary: 'Look up the events of several downloads' },
    })

export function eventRoutes(
  deps: DownloadsRouteParts,
  parts: { reports: Reports; filling: Filling },
) {
  const events = new Events(deps, parts)
  return new Elysia({ name: 'downloads/events' })
    .use(readRoutes(deps, events))
    .use(writeRoutes(deps, events))
    .use(tagRoutes(deps, events))
    .use(feedRoutes(deps, events))
}
