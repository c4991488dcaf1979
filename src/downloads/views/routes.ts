import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { done, Empty, ErrorBody, example, Uuid } from '../../core/http/schema.ts'
import { SavedView, SavedViewBody } from './model.ts'
import * as service from './service.ts'

const params = t.Object({ id: Uuid })

/** The caller's saved views; guests have none. */
export const viewRoutes = (deps: DownloadsRouteParts) =>
  routesAt(deps.access, 'Downloads and Reporting', '/api/ext/views')
    .get('', ({ caller }) => service.listViews(deps, caller), {
      access: 'account',
      response: { 200: Type.Array(SavedView) },
      detail: { summary: "List the caller's saved views" },
    })
    .post(
      '',
      ({ caller, body, set }) => {
        const view = service.createView(deps, caller, body)
        set.status = 201
        set.headers.location = `/api/ext/views/${view.id}`
        return view
      },
      {
        access: 'account',
        body: example(SavedViewBody, {
          name: 'Misses of today',
          page: 'downloads',
          query: 'range=24h&hits=miss',
        }),
        response: { 201: SavedView, 400: ErrorBody, 409: ErrorBody },
        detail: { summary: 'Save a view' },
      },
    )
    .put(
      '/:id',
      ({ caller, params: { id }, body }) => service.updateView(deps, caller, { id, body }),
      {
        access: 'account',
        params,
        body: example(SavedViewBody, {
          name: 'Misses of today',
          page: 'downloads',
          query: 'range=24h&hits=miss',
        }),
        response: { 200: SavedView, 400: ErrorBody, 404: ErrorBody },
        detail: { summary: 'Change a saved view' },
      },
    )
    .delete('/:id', ({ caller, params: { id } }) => done(service.deleteView(deps, caller, id)), {
      access: 'account',
      params,
      response: { 200: Empty, 404: ErrorBody },
      detail: { summary: 'Delete a saved view' },
    })
