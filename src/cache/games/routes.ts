import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { CacheRouteParts } from '../parts.ts'
import { ErrorBody, example, Nullable, QueryFlag } from '../../core/http/schema.ts'
import {
  ActiveDetection,
  CachedDetection,
  DetectionStarted,
  GameFiles,
  NameGiven,
  UnnamedTitle,
} from './model.ts'
import type { GameNames } from './names.ts'
import type { Games } from './service.ts'

const TitleKey = t.String({ minLength: 1, maxLength: 300 })

export const gameRoutes = (deps: CacheRouteParts, games: Games) =>
  routesAt(deps.access, 'Cache and Games', '/api/games')
    .post(
      '/detect',
      async ({ query, status }) => status(202, await games.detect(query.forceRefresh ?? false)),
      {
        access: 'account',
        query: t.Object({ forceRefresh: QueryFlag }),
        response: { 202: DetectionStarted, 400: ErrorBody, 503: ErrorBody },
        detail: { summary: 'Start a game detection run' },
      },
    )
    .get('/detect/active', () => games.active(), {
      access: 'account',
      response: { 200: ActiveDetection },
      detail: { summary: 'Game detection run in progress' },
    })
    .get('/detect/cached', () => games.cached(), {
      access: 'account',
      response: { 200: CachedDetection, 503: ErrorBody },
      detail: { summary: 'Stored result of the latest game detection' },
    })

/** Additions to the API: names given by hand, and the files of one game. */
export const gameNameRoutes = (deps: CacheRouteParts, names: GameNames) =>
  routesAt(deps.access, 'Cache and Games', '/api/ext/games')
    .get('/unnamed', () => names.unnamed(), {
      access: 'account',
      response: { 200: Type.Array(UnnamedTitle), 503: ErrorBody },
      detail: { summary: 'Titles that no catalogue knows, and names given by hand' },
    })
    .put('/name', ({ body }) => names.giveName(body.titleKey, body.gameName), {
      access: 'account',
      body: example(
        t.Object({ titleKey: TitleKey, gameName: Nullable(t.String({ maxLength: 200 })) }),
        { titleKey: 'alpha:441', gameName: 'Team Fortress 2' },
      ),
      response: { 200: NameGiven, 400: ErrorBody, 404: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Name a title; null removes the name' },
    })
    .get('/files', ({ query }) => names.files(query.game), {
      access: 'account',
      query: t.Object({ game: TitleKey }),
      response: { 200: GameFiles, 404: ErrorBody, 503: ErrorBody },
      detail: { summary: 'Paths of the cache files of one game' },
    })
