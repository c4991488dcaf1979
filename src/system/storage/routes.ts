import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { SystemRouteParts } from '../parts.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import * as model from './model.ts'
import { saveCacheSize, saveDeleteMode, systemPermissions } from './service.ts'

export const storageRoutes = (deps: SystemRouteParts) =>
  routesAt(deps.access, 'System', '/api/system')
    .get('/permissions', ({ caller }) => systemPermissions(deps, caller), {
      access: 'session',
      response: { 200: model.SystemPermissions },
      detail: {
        summary: 'Whether the cache and log folders and the container engine are accessible',
      },
    })
    .get('/rsync/available', () => ({ available: deps.disk.hasRsync() }), {
      access: 'account',
      response: { 200: model.RsyncAvailable },
      detail: { summary: 'Whether rsync is installed' },
    })
    .patch('/cache-delete-mode', ({ body }) => saveDeleteMode(deps, body.deleteMode), {
      access: 'account',
      body: example(model.DeleteModeBody, { deleteMode: 'preserve' }),
      response: { 200: model.DeleteModeSaved, 400: ErrorBody },
      detail: { summary: 'Set how cache files are deleted' },
    })
    .put(
      '/datasources/:datasourceName/cache-size',
      ({ params, body }) => saveCacheSize(deps, params.datasourceName, body.size),
      {
        access: 'account',
        params: t.Object({ datasourceName: t.String({ maxLength: 100 }) }),
        body: example(model.CacheSizeBody, { size: '500g' }),
        response: { 200: model.CacheSizeSaved, 400: ErrorBody, 404: ErrorBody },
        detail: { summary: "Set how large a datasource's cache may become" },
      },
    )
