import { Elysia } from 'elysia'
import type { DownloadsRouteParts } from '../parts.ts'
import { ErrorBody } from '../../core/http/schema.ts'
import { createCustody } from './custody.ts'
import { CustodySettings, CustodyStarted, CustodyStatus } from './custody-model.ts'

/** Automatic log rotation and retention; disabled by default. */
export const logCustodyRoutes = (deps: DownloadsRouteParts) => {
  const custody = createCustody(deps)
  return new Elysia({
    name: 'downloads/log-custody',
    prefix: '/api/ext/logs/custody',
    tags: ['Downloads and Reporting'],
  })
    .use(deps.access)
    .get('', () => custody.settings(), {
      access: 'account',
      response: { 200: CustodySettings },
      detail: { summary: 'Log rotation and retention settings' },
    })
    .put('', ({ body }) => custody.save(body), {
      access: 'account',
      body: CustodySettings,
      response: { 200: CustodySettings },
      detail: { summary: 'Change the log rotation and retention settings' },
    })
    .get('/status', () => custody.status(), {
      access: 'account',
      response: { 200: CustodyStatus },
      detail: {
        summary: 'Read state of each log file, and what rotation and retention would do with it',
      },
    })
    .post('/run', ({ status }) => status(202, custody.start()), {
      access: 'account',
      response: { 202: CustodyStarted, 409: ErrorBody },
      detail: { summary: 'Apply log rotation and retention now' },
    })
}
