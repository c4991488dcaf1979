import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { AccessRouteParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import { ErrorBody, example, FileOf } from '../../core/http/schema.ts'
import * as model from './model.ts'
import { Themes } from './service.ts'
import { themeBytesMax, ThemeStore } from './store.ts'

const contentTypes = { toml: 'application/toml', json: 'application/json' }
/** The file plus its form. Up to this size a too large theme is refused by name. */
const uploadBytesMax = themeBytesMax + 64 * 1024
const params = t.Object({ id: t.String({ maxLength: 200 }) })

const readRoutes = (deps: AccessRouteParts, themes: Themes) =>
  routesAt(deps.access, 'Access', '/api/themes')
    .get('', () => themes.list(), {
      access: 'public',
      response: { 200: Type.Array(model.ThemeInfo) },
      detail: { summary: 'List uploaded themes' },
    })
    .get(
      '/:id',
      async ({ params: { id } }) => {
        const { text, format } = await themes.raw(id)
        return new Response(text, { headers: { 'Content-Type': contentTypes[format] } })
      },
      {
        access: 'public',
        params,
        response: { 200: FileOf('application/toml', 'application/json'), 404: ErrorBody },
        detail: { summary: 'The file of an uploaded theme' },
      },
    )
    .get(
      '/preferences/guest',
      () => ({ themeId: themes.guestTheme(), success: false, message: null }),
      {
        access: 'public',
        response: { 200: model.ThemePreference },
        detail: { summary: 'The theme of new guests' },
      },
    )

const writeRoutes = (deps: AccessRouteParts, themes: Themes) =>
  routesAt(deps.access, 'Access', '/api/themes')
    .put(
      '/preferences/guest',
      async ({ body }) => {
        const themeId = await themes.setGuestTheme(body.themeId ?? '')
        return { themeId, success: true, message: 'The theme for guests was changed' }
      },
      {
        access: 'account',
        body: example(model.GuestThemeBody, { themeId: 'light-default' }),
        response: { 200: model.ThemePreference, 400: ErrorBody, 404: ErrorBody },
        detail: { summary: 'Choose the theme of new guests' },
      },
    )
    .post(
      '/upload',
      async ({ body }) => {
        if (body.file === undefined) throw new AppError('invalid', 'The field file is missing')
        return { success: true, ...(await themes.upload(body.file)) }
      },
      {
        access: 'account',
        bodyBytesMax: uploadBytesMax,
        body: t.Object(
          { file: t.Optional(t.File()) },
          { examples: [{ file: '[colors]\nprimaryColor = "#3b82f6"\n' }] },
        ),
        response: { 200: model.ThemeUploaded, 400: ErrorBody, 409: ErrorBody },
        detail: { summary: 'Upload a TOML or JSON theme of at most 1 MB' },
      },
    )
    .post('/cleanup', () => themes.cleanUp(), {
      access: 'account',
      response: { 200: model.ThemesCleaned },
      detail: { summary: 'Delete all uploaded themes' },
    })
    .delete('/:id', ({ params: { id } }) => themes.delete(id), {
      access: 'account',
      params,
      response: { 200: model.ThemeDeleted, 400: ErrorBody, 404: model.ThemeMissing },
      detail: { summary: 'Delete an uploaded theme' },
    })

export const themeRoutes = (deps: AccessRouteParts) => {
  const themes = new Themes(deps, new ThemeStore(join(deps.config.dataPath, 'themes')))
  return new Elysia({ name: 'access/themes' })
    .use(readRoutes(deps, themes))
    .use(writeRoutes(deps, themes))
}
