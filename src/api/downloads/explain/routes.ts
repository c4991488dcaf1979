import { Elysia, t } from 'elysia'
import type { RouteDeps } from '../../../deps.ts'
import { ErrorBody, RowId, UnixSeconds } from '../../../http/schema.ts'
import { scopeOf } from '../reports/scope.ts'
import type { Parts } from './answers.ts'
import { Explanation } from './model.ts'
import { createExplain } from './service.ts'

const Name = t.String({ maxLength: 200 })

export const explainRoutes = (deps: RouteDeps, parts: Omit<Parts, 'deps'>) => {
  const explain = createExplain({ deps, ...parts })
  return new Elysia({
    name: 'downloads/explain',
    prefix: '/api/ext/explain',
    tags: ['Downloads and Reporting'],
  })
    .use(deps.access)
    .get(
      '/:number',
      ({ caller, params, query }) =>
        explain(params.number, {
          caller,
          scope: scopeOf(query),
          client: query.client,
          service: query.service,
          game: query.game,
          download: query.download,
        }),
      {
        access: 'session',
        params: t.Object({ number: t.String({ maxLength: 100 }) }),
        query: t.Object({
          startTime: UnixSeconds,
          endTime: UnixSeconds,
          eventId: t.Optional(RowId),
          includePrefill: t.Optional(t.Boolean()),
          client: t.Optional(t.String({ maxLength: 100 })),
          service: t.Optional(Name),
          game: t.Optional(Name),
          download: t.Optional(RowId),
        }),
        response: { 200: Explanation, 400: ErrorBody, 404: ErrorBody, 503: ErrorBody },
        detail: { summary: 'Where a figure of the dashboard comes from' },
      },
    )
}
