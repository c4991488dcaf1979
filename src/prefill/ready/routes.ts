import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { ErrorBody, example, MessageResponse, QueryInt, succeeded } from '../../core/http/schema.ts'
import { stringUnion } from '../../core/http/string-union.ts'
import { platforms } from '../../platforms/platforms.ts'
import type { PrefillRouteParts } from '../parts.ts'
import { AppId, appIdsBytesMax, QueuedRun } from '../sessions/model.ts'
import { BoardBody, GamesBody, ReadyBoard, Suggestions } from './model.ts'
import type { ReadinessBoard } from './service.ts'

const prefix = '/api/ext/prefill/ready'

const readyRunRoutes = (deps: PrefillRouteParts, board: ReadinessBoard) =>
  routesAt(deps.access, 'Prefill')
    .post('/check', ({ status }) => status(202, board.check()), {
      access: 'account',
      response: { 202: QueuedRun },
      detail: { summary: 'Ask the daemons now which games are current' },
    })
    .post('/make', ({ status }) => status(202, board.make()), {
      access: 'account',
      response: { 202: QueuedRun },
      detail: {
        summary: 'Fetch what is missing, in the allowed hours, until every game is ready',
        description: 'Outside the allowed hours the run ends at once and begins when they open.',
      },
    })
    .delete('/make', () => succeeded('Games are no longer fetched', board.cancel()), {
      access: 'account',
      response: { 200: MessageResponse, 503: ErrorBody },
      detail: { summary: 'Stop fetching games for the board' },
    })

export const readyRoutes = (deps: PrefillRouteParts, board: ReadinessBoard) =>
  routesAt(deps.access, 'Prefill', prefix)
    .get('', () => board.view(), {
      access: 'account',
      response: { 200: ReadyBoard },
      detail: { summary: 'Whether the games of the readiness board are in the cache and current' },
    })
    .put('', ({ body }) => board.change(body), {
      access: 'account',
      body: example(BoardBody, {
        dueAtUtc: '2026-11-27T18:00:00Z',
        hours: { start: '22:00', end: '06:00' },
        fetchesUpdates: true,
      }),
      response: { 200: ReadyBoard, 400: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Change when the games are to be ready, and when they may be fetched' },
    })
    .get('/suggestions', ({ query }) => board.suggestions(query.eventId), {
      access: 'account',
      query: t.Object({ eventId: QueryInt }),
      response: { 200: Suggestions, 503: ErrorBody },
      detail: {
        summary: 'Games of an event, else of the last one, and those that most clients use',
      },
    })
    .post('/games', ({ body }) => board.add(body), {
      access: 'account',
      body: example(GamesBody, {
        games: [{ platform: 'alpha', appId: '730', name: 'Counter-Strike 2', dueAtUtc: null }],
      }),
      bodyBytesMax: appIdsBytesMax,
      response: { 200: ReadyBoard, 400: ErrorBody, 409: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Add games to the board, or change their names and times' },
    })
    .delete(
      '/games/:platform/:appId',
      ({ params: { platform, appId } }) =>
        succeeded('Game taken off the board', board.remove(platform, appId)),
      {
        access: 'account',
        params: t.Object({ platform: stringUnion(platforms), appId: AppId }),
        response: { 200: MessageResponse, 400: ErrorBody, 404: ErrorBody, 503: ErrorBody },
        detail: { summary: 'Take a game off the board; it stays in the cache' },
      },
    )
    .use(readyRunRoutes(deps, board))
