import { Elysia } from 'elysia'
import type { DownloadsRouteParts } from '../parts.ts'
import { ErrorBody } from '../../core/http/schema.ts'
import { createCustody } from './custody.ts'
import { CustodySettings, CustodyStarted, CustodyStatus } from './custody-model.ts'

/** What the service does with log files on its own; everything is off at first. */
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
      detail: { summary: 'What is done with log files without being asked' },
    })
    .put('', ({ body }) => custody.save(body), {
      access: 'account',
      body: CustodySettings,
      response: { 200: CustodySettings },
      detail: { summary: 'Change what is done with log files without being asked' },
    })
    .get('/status', () => custody.status(), {
      access: 'account',
      response: { 200: CustodyStatus },
      detail: { summary: 'What of each log file was counted, and what would be done with it' },
    })
    .post('/run', ({ status }) => status(202, custody.start()), {
      access: 'account',
      response: { 202: CustodyStarted, 409: ErrorBody },
      detail: { summary: 'Do now what the settings say' },
    })
}
