import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { routesAt } from '../../core/http/access.ts'
import type { CacheRouteParts } from '../parts.ts'
import { createDoctor } from './doctor.ts'
import { refetchSeconds } from './refetch.ts'
import { ErrorBody, example, Nullable } from '../../core/http/schema.ts'
import { ObjectAnswer, PurgeStarted, Refetched, Suspects } from './model.ts'
import { objectWire, refetchWire } from './wire.ts'

const datasource = t.String({ maxLength: 100 })
const url = t.String({ maxLength: 8000 })
const tag = t.Optional(t.String({ maxLength: 300 }))
/** At most a day: the read ends of logs reach no further back. */
const minutes = t.Integer({ minimum: 1, maximum: 1440, default: 60 })
const readSeconds = 60
const RequestedSlice = Type.Object({
  datasource: Type.String({ maxLength: 100 }),
  url: Type.String({ maxLength: 8000 }),
  tag: Type.Optional(Nullable(Type.String({ maxLength: 300 }))),
  slice: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 10_000_000 }))),
})

const asked = ({ tag, slice, ...rest }: typeof RequestedSlice.static) => ({
  ...rest,
  tag: tag ?? undefined,
  slice: slice ?? undefined,
})

const failures = { 400: ErrorBody, 404: ErrorBody, 409: ErrorBody, 429: ErrorBody, 503: ErrorBody }

const requestedSlice = example(RequestedSlice, {
  datasource: 'default',
  url: '/depot/441/chunk/5f1c3e',
  slice: 0,
})

/** Diagnosis of single objects that clients cannot download completely. */
export const doctorRoutes = (deps: CacheRouteParts) => {
  const doctor = createDoctor(deps)
  return routesAt(deps.access, 'Cache and Games', '/api/ext/doctor')
    .get('/suspects', ({ query }) => doctor.suspects({ ...query, minutes: query.minutes ?? 60 }), {
      access: 'account',
      idleSeconds: readSeconds,
      query: t.Object({
        client: t.Optional(t.String({ maxLength: 100 })),
        minutes: t.Optional(minutes),
        datasource: t.Optional(datasource),
      }),
      response: { 200: Suspects, ...failures },
      detail: { summary: 'Objects requested repeatedly in recent logs' },
    })
    .get('/object', async ({ query }) => objectWire(await doctor.object(query)), {
      access: 'account',
      idleSeconds: readSeconds,
      query: t.Object({ datasource, url, tag }),
      response: { 200: ObjectAnswer, ...failures },
      detail: { summary: 'Every cache file of one object' },
    })
    .post(
      '/purge',
      async ({ body, status }) => {
        const { files, ...started } = await doctor.purge(asked(body))
        const message = `Removal of ${files} ${files === 1 ? 'cache file' : 'cache files'}`
        return status(202, { ...started, files, message })
      },
      {
        access: 'account',
        body: requestedSlice,
        response: { 202: PurgeStarted, ...failures },
        detail: { summary: 'Remove all cache files of one object, or one of them' },
      },
    )
    .post('/refetch', async ({ body }) => refetchWire(await doctor.refetch(asked(body))), {
      access: 'account',
      idleSeconds: refetchSeconds,
      body: requestedSlice,
      response: { 200: Refetched, ...failures },
      detail: { summary: 'Fetch one object, or one slice of it, through the cache' },
    })
}
