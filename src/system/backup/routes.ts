import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { AppError } from '../../core/http/errors.ts'
import { done, Empty, ErrorBody, example, FileOf } from '../../core/http/schema.ts'
import type { SystemRouteParts } from '../parts.ts'
import { Queued } from '../../core/operations/contract.ts'
import * as model from './model.ts'
import type { Backups } from './service.ts'

/** A piece plus its form. */
const pieceFormBytes = model.pieceBytesMax + 16 * 1024
/** Forms contain texts only. */
const byteCount = t.Optional(t.String({ pattern: '^\\d{1,15}$' }))
const uploadForm = t.Object(
  {
    file: t.Optional(t.File()),
    /** Bytes that were sent before this piece. */
    offset: byteCount,
    /** Bytes of the whole file. */
    total: byteCount,
  },
  { examples: [{ file: 'the first bytes of a snapshot', offset: '0', total: '1048576' }] },
)
const params = t.Object({
  name: t.String({ maxLength: 200, description: 'File name of a snapshot' }),
})
const unknown = { 403: ErrorBody, 404: ErrorBody }
const started = { 202: Queued, 503: ErrorBody }

/** Snapshots that administrators may make and list. */
export const backupRoutes = (deps: SystemRouteParts, backups: Backups) =>
  routesAt(deps.access, 'System', '/api/ext/backups')
    .get('', () => backups.list(), {
      access: 'admin',
      response: { 200: model.Backups },
      detail: { summary: 'List the snapshots of all data' },
    })
    .post('', ({ status }) => status(202, backups.begin()), {
      access: 'admin',
      response: started,
      detail: { summary: 'Make a snapshot of all data' },
    })
    .put('/settings', ({ body }) => done(backups.keep(body.keep)), {
      access: 'admin',
      body: example(model.KeepBody, { keep: 7 }),
      response: { 200: Empty },
      detail: { summary: 'Choose how many scheduled snapshots are kept' },
    })

/** A snapshot holds every secret of the installation: only the owner sends, receives and restores. */
export const snapshotFileRoutes = (deps: SystemRouteParts, backups: Backups) =>
  routesAt(deps.access, 'System', '/api/ext/backups')
    .get(
      '/:name/file',
      ({ caller, params: { name }, request }) => {
        backups.requireProof(request)
        return new Response(Bun.file(backups.sent(name, caller)), {
          headers: {
            'Content-Type': 'application/octet-stream',
            'Content-Disposition': `attachment; filename="${name}"`,
          },
        })
      },
      {
        access: 'owner',
        params,
        response: { 200: FileOf('application/octet-stream'), ...unknown },
        detail: { summary: 'The file of a snapshot' },
      },
    )
    .delete('/:name', ({ params: { name } }) => done(backups.remove(name)), {
      access: 'owner',
      params,
      response: { 200: Empty, ...unknown },
      detail: { summary: 'Delete a snapshot' },
    })
    .post(
      '/:name/restore',
      ({ caller, params: { name }, request, status }) => {
        backups.requireProof(request)
        return status(202, backups.restore(name, caller))
      },
      {
        access: 'owner',
        params,
        response: { ...started, ...unknown },
        detail: { summary: 'Restore a snapshot: checks it, then restarts the service on it' },
      },
    )
    .post(
      '/upload',
      async ({ body: { file, offset, total }, request }) => {
        backups.requireProof(request)
        if (file === undefined) throw new AppError('invalid', 'The field file is missing')
        const place = { offset: Number(offset ?? 0), total: Number(total ?? file.size) }
        return backups.receive(new Uint8Array(await file.arrayBuffer()), place)
      },
      {
        access: 'owner',
        bodyBytesMax: pieceFormBytes,
        body: uploadForm,
        response: {
          200: model.Uploaded,
          400: ErrorBody,
          403: ErrorBody,
          409: ErrorBody,
          413: ErrorBody,
        },
        detail: { summary: 'Upload a snapshot, in parts of at most 1 MiB' },
      },
    )
