import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import type { DashboardRouteParts } from '../parts.ts'
import { DataCap, DataCapState } from './model.ts'
import type { DataCapService } from './service.ts'

export const dataCapRoutes = ({ access }: DashboardRouteParts, dataCap: DataCapService) =>
  routesAt(access, 'Downloads and Reporting', '/api/ext/data-cap')
    .get('', () => dataCap.state(), {
      access: 'account',
      response: { 200: DataCapState, 503: ErrorBody },
      detail: { summary: 'Monthly volume of the line, and what the cache has used of it' },
    })
    .put('', ({ body }) => dataCap.change(body), {
      access: 'admin',
      body: example(DataCap, { capBytes: 1_000_000_000_000, firstDay: 1, pausePercent: 90 }),
      response: { 200: DataCap, 400: ErrorBody },
      detail: { summary: 'Set the monthly volume of the line and when prefill pauses' },
    })
