import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import { MalformedRequest } from '../../core/http/errors.ts'
import { isHeld } from '../../core/http/etag.ts'
import { ErrorBody, FileOf } from '../../core/http/schema.ts'
import type { CatalogueRouteParts } from '../parts.ts'
import { imageTypes } from './media-type.ts'
import { AvailableImages, ImageCacheCleared, ImageCacheVersion } from './model.ts'
import type { Images, ServedImage } from './service.ts'

/** Clearing waits for the new images for a minute. */
const clearSeconds = 120

/** Names of games have 300 characters at most. */
const id = t.String({ minLength: 1, maxLength: 300 })
const response = { 200: FileOf(...imageTypes, 'image/svg+xml'), 404: ErrorBody }

/** Not only a number: as the API documents it, a malformed id is 400 here, not 404. */
const AppId = Type.Union([Type.Integer(), id])

function appIdOf(text: string | number): number {
  const appId = /^\d{1,15}$/.test(String(text)) ? Number(text) : null
  if (appId !== null) return appId
  throw new MalformedRequest([{ field: 'appId', message: 'Expected a whole number' }])
}

function answer({ content, type, tag }: ServedImage, asked: Headers): Response {
  const etag = `"${tag}"`
  const headers = { 'Cache-Control': 'public, max-age=3600, must-revalidate', ETag: etag }
  if (isHeld(asked.get('If-None-Match'), etag)) return new Response(null, { status: 304, headers })
  return new Response(content as Uint8Array<ArrayBuffer>, {
    headers: { ...headers, 'Content-Type': type },
  })
}

export const imageRoutes = (deps: CatalogueRouteParts, images: Images) =>
  routesAt(deps.access, 'Cache and Games', '/api/game-images')
    .get(
      '/:appId/header',
      async ({ params, request }) =>
        answer(await images.read(`alpha:${appIdOf(params.appId)}`), request.headers),
      {
        access: 'public',
        params: t.Object({ appId: AppId }),
        response,
        detail: { summary: 'Cached header image of a game' },
      },
    )
    .get(
      '/beta/:betaAppId/header',
      async ({ params, request }) =>
        answer(await images.read(`beta:${params.betaAppId}`), request.headers),
      {
        access: 'public',
        params: t.Object({ betaAppId: id }),
        response,
        detail: { summary: 'Cached header image of a game of Epic Games' },
      },
    )
    .get(
      '/name/:service/:slug/header',
      async ({ params, request }) =>
        answer(await images.readNamed(params.service, params.slug), request.headers),
      {
        access: 'public',
        params: t.Object({ service: id, slug: id }),
        response,
        detail: { summary: 'Cached banner of a game of a service that identifies games by name' },
      },
    )
    .get('/available', () => images.available(), {
      access: 'public',
      response: { 200: AvailableImages },
      detail: { summary: 'App ids and slugs that have a cached image' },
    })
    .get('/cache-version', () => ({ version: images.generation() }), {
      access: 'public',
      response: { 200: ImageCacheVersion },
      detail: { summary: 'Version of the image cache' },
    })
    .delete('/cache', () => images.clear(), {
      access: 'account',
      idleSeconds: clearSeconds,
      response: { 200: ImageCacheCleared, 503: ErrorBody },
      detail: { summary: 'Discard all images and fetch them again' },
    })
