import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, example } from '../../core/http/schema.ts'
import type { PrefillRouteParts } from '../parts.ts'
import type { Budget } from './budget.ts'
import { BandwidthBody, BandwidthState } from './model.ts'

export const bandwidthRoutes = (deps: PrefillRouteParts, budget: Budget) =>
  routesAt(deps.access, 'Prefill', '/api/ext/prefill/bandwidth')
    .get('', () => budget.view(), {
      access: 'account',
      response: { 200: BandwidthState },
      detail: { summary: 'Bandwidth that prefills of Larder’s own daemons share' },
    })
    .put('', ({ body }) => budget.change(body), {
      access: 'account',
      body: example(BandwidthBody, { bytesPerSecond: 50_000_000, isPaused: false, windows: [] }),
      response: { 200: BandwidthState, 400: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Limit, pause or resume prefills; running ones follow at once' },
    })
