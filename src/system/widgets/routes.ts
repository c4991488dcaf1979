import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { Caller } from '../../core/caller.ts'
import { done, Empty, ErrorBody, example, FileOf, Uuid } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'
import { unavailable } from '../../core/http/errors.ts'
import type { SystemRouteParts } from '../parts.ts'
import { badgeOf } from './badge.ts'
import type { Figures } from './figures.ts'
import * as model from './model.ts'
import type { WidgetTokens } from './tokens.ts'

const token = t.Optional(
  t.String({
    maxLength: 400,
    description: 'Token of a widget, unless it is sent in `Authorization`',
  }),
)
const refusals = { 401: Empty, 403: ErrorBody, 429: ErrorBody }

export const widgetTokenRoutes = (deps: SystemRouteParts, tokens: WidgetTokens) =>
  routesAt(deps.access, 'System', '/api/ext/widgets/tokens')
    .get('', () => ({ items: tokens.list() }), {
      access: 'admin',
      response: { 200: model.TokenList },
      detail: { summary: 'Tokens of widgets, without the tokens themselves' },
    })
    .post('', ({ body, status }) => status(201, tokens.create(body)), {
      access: 'admin',
      body: example(model.TokenBody, { name: 'Homepage', scopes: ['summary'] }),
      response: { 201: model.CreatedToken, 400: ErrorBody, 409: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Create a read-only token for widgets; it is shown once' },
    })
    .delete('/:id', (call) => done(tokens.revoke(call.params.id)), {
      access: 'admin',
      params: t.Object({ id: Uuid }),
      response: { 200: Empty, 404: ErrorBody },
      detail: { summary: 'Revoke a token of widgets' },
    })

/**
 * Figures for widgets of other dashboards, at the addresses that those know. A session reads them
 * without a token; clients are only for tokens with that scope.
 */
export function widgetRoutes(
  deps: SystemRouteParts,
  { tokens, figures }: { tokens: WidgetTokens; figures: Figures },
) {
  interface Call {
    caller: Caller
    request: Request
    query: { token?: string | undefined }
    address: string | null
  }
  const admit = (call: Call, scope: model.WidgetScope) =>
    call.caller.kind === 'anonymous' || call.query.token !== undefined
      ? tokens.admit(call, scope)
      : []

  return routesAt(deps.access, 'System')
    .get(
      '/api/widgets/summary',
      async (call) => {
        const scopes = admit(call, 'summary')
        call.set.headers['Cache-Control'] = 'no-store'
        const summary = await figures.summary()
        if (!scopes.includes('clients')) return summary
        return { ...summary, clients: await figures.clients() }
      },
      {
        access: 'public',
        withAddress: true,
        query: t.Object({ token }),
        response: { 200: model.WidgetSummary, ...refusals, 503: ErrorBody },
        detail: { summary: 'Figures for widgets' },
      },
    )
    .get(
      '/api/widgets/badge.svg',
      async (call) => {
        admit(call, 'badge')
        const text = badgeOf(call.query.figure ?? 'saved', await figures.summary())
        const headers = { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'no-store' }
        return new Response(text, { headers })
      },
      {
        access: 'public',
        withAddress: true,
        query: t.Object({ token, figure: t.Optional(stringUnion(model.badgeFigures)) }),
        response: { 200: FileOf('image/svg+xml'), ...refusals },
        detail: { summary: 'One figure as a badge' },
      },
    )
    .get(
      '/DownloadStats/GetTotalDownloadStats',
      async (call) => {
        admit(call, 'summary')
        const { totalSavedBytes, totalDownloadedBytes } = await figures.summary()
        if (totalSavedBytes === null || totalDownloadedBytes === null) {
          throw unavailable('The database is not available')
        }
        return { totalCacheHitBytes: totalSavedBytes, totalCacheMissBytes: totalDownloadedBytes }
      },
      {
        access: 'public',
        withAddress: true,
        query: t.Object({ token }),
        response: { 200: model.TotalStats, ...refusals, 503: ErrorBody },
        detail: { summary: 'Totals in the form of another service that widgets know' },
      },
    )
}
