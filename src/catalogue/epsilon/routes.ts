import { Type } from '@sinclair/typebox'
import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, MessageOnlyResponse } from '../../core/http/schema.ts'
import { Page, SearchQuery } from '../mapping-list-model.ts'
import type { CatalogueRouteParts } from '../parts.ts'
import {
  EpsilonAuthStatus,
  EpsilonGameMapping,
  EpsilonLoginStarted,
  EpsilonMappingStats,
} from './model.ts'
import type { EpsilonService } from './service.ts'

/** Asking Microsoft for a code takes a second; a call that hangs is given up after half a minute. */
const loginSeconds = 60

export const epsilonRoutes = (deps: CatalogueRouteParts, epsilon: EpsilonService) =>
  routesAt(deps.access, 'Cache and Games', '/api/epsilon/game-mappings')
    .get('', ({ query }) => epsilon.list(query), {
      access: 'account',
      query: Page,
      response: { 200: Type.Array(EpsilonGameMapping) },
      detail: { summary: 'List platform-epsilon game mappings' },
    })
    .get('/search', ({ query }) => epsilon.search(query.q), {
      access: 'account',
      query: SearchQuery,
      response: { 200: Type.Array(EpsilonGameMapping), 400: ErrorBody },
      detail: { summary: 'Search platform-epsilon game mappings by title' },
    })
    .get('/stats', () => epsilon.stats(), {
      access: 'account',
      response: { 200: EpsilonMappingStats },
      detail: { summary: 'Figures about the platform-epsilon mappings' },
    })
    .use(authRoutes(deps, epsilon))

const authRoutes = (deps: CatalogueRouteParts, epsilon: EpsilonService) =>
  routesAt(deps.access, 'Cache and Games')
    .get('/auth-status', () => epsilon.authStatus(), {
      access: 'account',
      response: { 200: EpsilonAuthStatus },
      detail: { summary: 'Sign-in status of the platform-epsilon mapping collector' },
    })
    .post('/auth/login', () => epsilon.startLogin(), {
      access: 'account',
      idleSeconds: loginSeconds,
      response: { 200: EpsilonLoginStarted, 503: ErrorBody },
      detail: { summary: 'Start a device-code sign-in on platform epsilon' },
    })
    .post('/auth/cancel', () => epsilon.cancelLogin(), {
      access: 'account',
      response: { 200: MessageOnlyResponse },
      detail: { summary: 'Cancel a pending device-code poll on platform epsilon' },
    })
    .delete('/auth', () => epsilon.logout(), {
      access: 'account',
      response: { 200: MessageOnlyResponse },
      detail: { summary: 'Sign out of platform epsilon and forget its credentials' },
    })
