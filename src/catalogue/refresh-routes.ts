import { Elysia } from 'elysia'
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
  new Elysia({ name: 'catalogue/refresh', prefix: '/api/ext', tags: ['Cache and Games'] })
    .use(deps.access)
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
