import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { anonymous, createAccess } from './access.ts'
import { AppError, refusalResponse } from './errors.ts'

function setUp() {
  const access = createAccess({
    limit: () => {},
    identify: () => Promise.resolve(anonymous),
    antiforgery: () => {},
  })
  const routes = new Elysia()
    .use(access.plugin)
    .patch('/thing', ({ body }) => ({ seen: body }), {
      access: 'public',
      body: t.Optional(Type.Object({ name: Type.Optional(Type.String()) })),
    })
    .put('/bare', ({ body }) => ({ seen: body }), { access: 'public', body: t.String() })
    .get('/list', ({ query }) => query, {
      access: 'public',
      query: t.Object({ PageSize: t.Optional(t.Integer()), sort: t.Optional(t.String()) }),
    })
  access.forms.learn(routes.routes)
  const app = new Elysia()
    .onError({ as: 'global' }, ({ error }) =>
      error instanceof AppError ? refusalResponse(error) : new Response(null, { status: 418 }),
    )
    .use(routes)
  return (method: string, path: string, body?: string) =>
    app.handle(
      new Request(`http://localhost${path}`, {
        method,
        ...(body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
      }),
    )
}

describe('bodies', () => {
  test.each(['"text"', '5', 'true', '[1]', '[]'])('%s is not an object', async (body) => {
    expect((await setUp()('PATCH', '/thing', body)).status).toBe(400)
  })

  test.each(['{}', '{"name":"a"}'])('%s is', async (body) => {
    expect((await setUp()('PATCH', '/thing', body)).status).toBe(200)
  })

  test('no body at all is nothing given', async () => {
    expect((await setUp()('PATCH', '/thing')).status).toBe(200)
  })

  test('a bare value stays possible where it is expected', async () => {
    expect(await (await setUp()('PUT', '/bare', '"all"')).json()).toEqual({ seen: 'all' })
  })
})

describe('query names', () => {
  test.each(['PageSize=5', 'pagesize=5', 'PAGESIZE=5'])('%s', async (query) => {
    expect(await (await setUp()('GET', `/list?${query}`)).json()).toEqual({ PageSize: 5 })
  })

  test('the exact name wins over another spelling', async () => {
    const answer = await setUp()('GET', '/list?pagesize=5&PageSize=7')
    expect(await answer.json()).toEqual({ PageSize: 7 })
  })
})
