import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, RowId } from '../../core/http/schema.ts'
import type { CacheRouteParts } from '../parts.ts'
import { DownloadLogAnswer } from './model.ts'
import { downloadLog } from './service.ts'

/** Two readings of the ends of logs. */
const readSeconds = 60

/** Here and not with downloads, because only the cache knows how its files are named. */
export const missRoutes = (deps: CacheRouteParts) =>
  routesAt(deps.access, 'Downloads and Reporting', '/api/ext/downloads').get(
    '/:id/log',
    ({ params }) => downloadLog(deps, params.id),
    {
      access: 'account',
      idleSeconds: readSeconds,
      params: t.Object({ id: RowId }),
      response: { 200: DownloadLogAnswer, 400: ErrorBody, 404: ErrorBody, 503: ErrorBody },
      detail: {
        summary: 'One download in the log: hits and misses over its time, and why it missed',
      },
    },
  )
