import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { DownloadsRouteParts } from '../parts.ts'
import { Int, Text, Utc } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'

const Row = Type.Object({
  id: Int,
  kind: stringUnion(['traffic', 'download']),
  reason: Text,
  /** Its columns as JSON, truncated. */
  sample: Text,
  setAsideAt: Utc,
})

/** The newest rows; `total` counts all. */
const Quarantine = Type.Object({ total: Int, rows: Type.Array(Row) })

/** Rows that the history refused individually. */
export const quarantineRoutes = ({ access, logs }: DownloadsRouteParts) =>
  new Elysia({
    name: 'downloads/quarantine',
    prefix: '/api/ext/logs/quarantine',
    tags: ['Downloads and Reporting'],
  })
    .use(access)
    .get('', () => logs.quarantine(), {
      access: 'account',
      response: { 200: Quarantine },
      detail: { summary: 'Rows that the history database refused, with its reasons' },
    })
    .post('/retry', async () => ({ retried: await logs.retryQuarantine() }), {
      access: 'admin',
      response: { 200: Type.Object({ retried: Int }) },
      detail: { summary: 'Send the refused rows again' },
    })
