import { Elysia, t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { CacheRouteParts } from '../parts.ts'
import { done, Empty, ErrorBody, example, Uuid } from '../../core/http/schema.ts'
import * as model from './model.ts'
import type { RetentionService } from './service.ts'

const prefix = '/api/ext/retention'
const params = t.Object({ id: Uuid })
const gameKey = t.String({ minLength: 1, maxLength: 400 })
const refusals = { 400: ErrorBody, 403: ErrorBody, 404: ErrorBody, 409: ErrorBody, 503: ErrorBody }

const ruleBody = example(model.RuleBody, {
  name: 'Old games',
  condition: 'unusedFor',
  days: 90,
  service: 'alpha',
})

const ruleRoutes = (deps: CacheRouteParts, retention: RetentionService) =>
  routesAt(deps.access, 'Cache and Games', prefix)
    .get('/rules', () => retention.rules(), {
      access: 'account',
      response: { 200: model.RuleList },
      detail: { summary: 'Retention rules, in their order' },
    })
    .post(
      '/rules',
      ({ body, set }) => {
        const rule = retention.create(body)
        set.status = 201
        set.headers.location = `${prefix}/rules/${rule.id}`
        return rule
      },
      {
        access: 'admin',
        body: ruleBody,
        response: { 201: model.RuleView, ...refusals },
        detail: { summary: 'Add a retention rule' },
      },
    )
    .put('/rules/:id', ({ params: { id }, body }) => retention.update(id, body), {
      access: 'admin',
      params,
      body: ruleBody,
      response: { 200: model.RuleView, ...refusals },
      detail: { summary: 'Change a retention rule' },
    })
    .delete('/rules/:id', (call) => done(retention.delete(call.params.id)), {
      access: 'admin',
      params,
      response: { 200: Empty, ...refusals },
      detail: { summary: 'Delete a retention rule and its listed games' },
    })
    .post('/preview', ({ body }) => retention.preview(body), {
      access: 'account',
      body: example(model.PreviewBody, {
        rule: { name: 'Old games', condition: 'unusedFor', days: 90, service: 'steam' },
      }),
      response: { 200: model.Preview, ...refusals },
      detail: { summary: 'What one rule, or all, would remove now; changes nothing' },
    })

const pinRoutes = (deps: CacheRouteParts, retention: RetentionService) =>
  routesAt(deps.access, 'Cache and Games', prefix)
    .get('/pins', () => retention.pins(), {
      access: 'account',
      response: { 200: model.PinList },
      detail: { summary: 'Pinned games, which no rule removes' },
    })
    .put(
      '/pins',
      ({ body }) => {
        retention.pin(body)
        return retention.pins()
      },
      {
        access: 'admin',
        body: example(model.PinBody, { gameKey: 'alpha:440', name: 'Team Fortress 2' }),
        response: { 200: model.PinList, ...refusals },
        detail: { summary: 'Pin a game' },
      },
    )
    .delete(
      '/pins',
      ({ query }) => {
        retention.unpin(query.gameKey)
        return retention.pins()
      },
      {
        access: 'admin',
        query: t.Object({ gameKey }),
        response: { 200: model.PinList, ...refusals },
        detail: { summary: 'Unpin a game' },
      },
    )
    .get('/settings', () => retention.settings(), {
      access: 'account',
      response: { 200: model.RetentionSettings },
      detail: { summary: 'Retention waiting times' },
    })
    .put('/settings', ({ body }) => retention.saveSettings(body), {
      access: 'admin',
      body: example(model.RetentionSettings, { undoHours: 24, sparedDays: 30 }),
      response: { 200: model.RetentionSettings, ...refusals },
      detail: { summary: 'Change the retention waiting times' },
    })

const pendingRoutes = (deps: CacheRouteParts, retention: RetentionService) =>
  routesAt(deps.access, 'Cache and Games', prefix)
    .get('/pending', () => retention.pending(), {
      access: 'account',
      response: { 200: model.PendingList },
      detail: { summary: 'Games listed for removal by rules' },
    })
    .delete('/pending/:id', ({ params: { id } }) => retention.cancel(id), {
      access: 'admin',
      params,
      response: { 200: model.Spared, ...refusals },
      detail: { summary: 'Take a game off the list; its rule spares it for a while' },
    })
    .post(
      '/pending/:id/now',
      async ({ params: { id }, status }) => status(202, await retention.now(id)),
      {
        access: 'admin',
        params,
        response: { 202: model.RemovalBegun, ...refusals },
        detail: { summary: 'Remove a listed game without waiting' },
      },
    )
    .post('/ask', () => retention.ask(), {
      access: 'admin',
      response: { 200: model.Asked, ...refusals },
      detail: { summary: 'Evaluate all rules now and list the matching games' },
    })

/** Retention rules, which remove games automatically; none by default. */
export const retentionRoutes = (deps: CacheRouteParts, retention: RetentionService) =>
  new Elysia({ name: 'cache/retention' })
    .use(ruleRoutes(deps, retention))
    .use(pinRoutes(deps, retention))
    .use(pendingRoutes(deps, retention))
