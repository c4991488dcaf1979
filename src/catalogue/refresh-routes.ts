import { routesAt } from '../core/http/access.ts'
import { ErrorBody } from '../core/http/schema.ts'
import { RefreshStarted } from './mapping-list-model.ts'
import type { CatalogueRouteParts } from './parts.ts'

interface Refreshable {
  refresh(): { operationId: string; alreadyRunning: boolean }
}

/** Refreshes that a person starts; the documented API has none. */
export const refreshRoutes = (
  deps: CatalogueRouteParts,
  { beta, epsilon }: { beta: Refreshable; epsilon: Refreshable },
) =>
  routesAt(deps.access, 'Cache and Games', '/api/ext')
    .post('/beta/game-mappings/refresh', () => beta.refresh(), {
      access: 'account',
      response: { 200: RefreshStarted, 503: ErrorBody },
      detail: { summary: 'Start a refresh of the platform-beta mappings' },
    })
    .post('/epsilon/game-mappings/refresh', () => epsilon.refresh(), {
      access: 'account',
      response: { 200: RefreshStarted, 503: ErrorBody },
      detail: { summary: 'Start a refresh of the platform-epsilon mappings' },
    })
