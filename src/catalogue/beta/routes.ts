import { Type } from '@sinclair/typebox'
import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, example, MessageOnlyResponse } from '../../core/http/schema.ts'
import { IntervalHours } from '../interval-hours.ts'
import { Page, SearchQuery } from '../mapping-list-model.ts'
import type { CatalogueRouteParts } from '../parts.ts'
import {
  BetaAuthStatus,
  BetaGameMapping,
  BetaLoginBody,
  BetaLoginDone,
  BetaLoginStarted,
  BetaMappingStats,
  BetaSchedule,
  IntervalChanged,
  RefreshCancelled,
} from './model.ts'
import type { BetaService } from './service.ts'

/** Collecting a library takes minutes; the longest that a call may take. */
const loginSeconds = 255

export const betaRoutes = (deps: CatalogueRouteParts, beta: BetaService) =>
  routesAt(deps.access, 'Cache and Games', '/api/beta/game-mappings')
    .get('', ({ query }) => beta.list(query), {
      access: 'account',
      query: Page,
      response: { 200: Type.Array(BetaGameMapping) },
      detail: { summary: 'List platform-beta game mappings' },
    })
    .get('/search', ({ query }) => beta.search(query.q), {
      access: 'account',
      query: SearchQuery,
      response: { 200: Type.Array(BetaGameMapping), 400: ErrorBody },
      detail: { summary: 'Search platform-beta game mappings by name' },
    })
    .get('/stats', () => beta.stats(), {
      access: 'account',
      response: { 200: BetaMappingStats },
      detail: { summary: 'Figures about the platform-beta mappings' },
    })
    .use(authRoutes(deps, beta))
    .use(scheduleRoutes(deps, beta))

const authRoutes = (deps: CatalogueRouteParts, beta: BetaService) =>
  routesAt(deps.access, 'Cache and Games')
    .get('/auth-status', () => beta.authStatus(), {
      access: 'account',
      response: { 200: BetaAuthStatus },
      detail: { summary: 'Sign-in status of the platform-beta mapping collector' },
    })
    .post('/auth/login', () => beta.startLogin(), {
      access: 'account',
      response: { 200: BetaLoginStarted },
      detail: { summary: 'Start the platform-beta sign-in' },
    })
    .post('/auth/complete', ({ body }) => beta.completeLogin(body?.authorizationCode ?? ''), {
      access: 'account',
      idleSeconds: loginSeconds,
      body: example(Type.Optional(BetaLoginBody), {
        authorizationCode: '0123456789abcdef0123456789abcdef',
      }),
      response: { 200: BetaLoginDone, 400: ErrorBody, 409: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Finish the platform-beta sign-in with its code' },
    })
    .delete('/auth', () => beta.logout(), {
      access: 'account',
      response: { 200: MessageOnlyResponse },
      detail: { summary: 'Sign out of platform beta and forget its credentials' },
    })

const scheduleRoutes = (deps: CatalogueRouteParts, beta: BetaService) =>
  routesAt(deps.access, 'Cache and Games', '/schedule')
    .get('', () => beta.schedule(), {
      access: 'account',
      response: { 200: BetaSchedule },
      detail: { summary: 'Refresh schedule and state of the platform-beta mappings' },
    })
    .put('/interval', ({ body }) => beta.setInterval(body), {
      access: 'account',
      body: example(IntervalHours, 6),
      response: { 200: IntervalChanged, 400: ErrorBody },
      detail: { summary: 'Set the refresh interval of the platform-beta mappings, in hours' },
    })
    .delete('/refresh', () => beta.cancelRefresh(), {
      access: 'account',
      response: { 200: RefreshCancelled, 404: ErrorBody },
      detail: { summary: 'Cancel a running refresh of the platform-beta mappings' },
    })
