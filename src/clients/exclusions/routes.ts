import { routesAt } from '../../core/http/access.ts'
import { example } from '../../core/http/schema.ts'
import type { ClientsRouteParts } from '../parts.ts'
import { ExclusionsBody, ExclusionSettings, ExclusionsRefused } from './model.ts'
import { readSettings, replaceExclusions } from './service.ts'

/** Enough for a thousand generously formatted rules. */
const rulesBytesMax = 256 * 1024

export const exclusionRoutes = (deps: ClientsRouteParts) =>
  routesAt(deps.access, 'Downloads and Reporting', '/api/stats/exclusions')
    .get('', () => readSettings(deps.state), {
      access: 'account',
      response: { 200: ExclusionSettings },
      detail: { summary: 'Read the client exclusion rules' },
    })
    .put('', ({ body }) => replaceExclusions(deps, body), {
      access: 'account',
      bodyBytesMax: rulesBytesMax,
      body: example(ExclusionsBody, { rules: [{ ip: '192.168.1.5', mode: 'exclude' }] }),
      response: { 200: ExclusionSettings, 400: ExclusionsRefused },
      detail: { summary: 'Replace the client exclusion rules' },
    })
