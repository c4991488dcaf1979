import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { DownloadsRouteParts } from '../parts.ts'
import { Int } from '../../core/http/schema.ts'
import { QuarantineList } from '../../engines/logs/wire.ts'

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
      response: { 200: QuarantineList },
      detail: { summary: 'Rows that the history database refused, with its reasons' },
    })
    .post('/retry', async () => ({ retried: await logs.retryQuarantine() }), {
      access: 'admin',
      response: { 200: Type.Object({ retried: Int }) },
      detail: { summary: 'Send the refused rows again' },
    })
