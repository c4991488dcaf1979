import { Type } from '@sinclair/typebox'
import { routesAt } from '../../core/http/access.ts'
import type { DownloadsRouteParts } from '../parts.ts'
import { Int } from '../../core/http/schema.ts'
import { QuarantineList } from '../../engines/logs/wire.ts'

/** Rows that the history refused individually. */
export const quarantineRoutes = ({ access, logs }: DownloadsRouteParts) =>
  routesAt(access, 'Downloads and Reporting', '/api/ext/logs/quarantine')
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
