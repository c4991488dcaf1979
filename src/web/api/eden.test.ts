import { afterAll, beforeEach, expect, test } from 'bun:test'
import { api, unwrap } from './client.ts'
import { isUnreachable, Refusal } from './refusal.ts'

interface Sent {
  path: string
  method: string
  headers: Record<string, string>
  body: unknown
}

const real = { fetch: globalThis.fetch, document: globalThis.document }
let sent: Sent[] = []
let answer: () => Response | Promise<Response>

Object.assign(globalThis, {
  document: { cookie: '', hidden: false },
  fetch: async (path: string, init: RequestInit) => {
    const headers = Object.fromEntries(new Headers(init.headers))
    const { body } = init
    sent.push({
      path,
      method: String(init.method),
      headers,
      body: typeof body === 'string' ? JSON.parse(body) : body,
    })
    return await answer()
  },
})
beforeEach(() => {
  sent = []
  answer = () => Response.json({ fine: true })
})
afterAll(() => void Object.assign(globalThis, real))

test('a read is a path with its query', async () => {
  const query = { startTime: 5, endTime: undefined, includePrefill: true }
  await unwrap(api.stats.clients.get({ query }))
  expect(sent).toMatchObject([
    { path: '/api/stats/clients?startTime=5&includePrefill=true', method: 'GET', body: null },
  ])
  expect(sent[0]?.headers).toMatchObject({ accept: 'application/json' })
  expect(sent[0]?.headers['content-type']).toBeUndefined()
})

test('parameters are parts of the path, and a reserved character in a query is written as such', async () => {
  await unwrap(api.downloads({ id: 7 }).get())
  await unwrap(api.downloads.retro.get({ query: { Search: 'a&b=c d' } }))
  expect(sent.map(({ path }) => path)).toEqual([
    '/api/downloads/7',
    '/api/downloads/retro?Search=a%26b%3Dc+d',
  ])
})

test('bodies are JSON, none is none, and a file is a form', async () => {
  const view = { name: 'x', page: 'downloads', query: '' }
  await unwrap(api.ext.views.post(view))
  await unwrap(api.ext.views({ id: 'a' }).delete())
  await unwrap(api.themes.upload.post({ file: new File(['a = 1'], 'a.toml') }))
  const [post, remove, upload] = sent
  expect(post).toMatchObject({
    method: 'POST',
    body: view,
    headers: { 'content-type': 'application/json' },
  })
  expect(remove).toMatchObject({ method: 'DELETE', path: '/api/ext/views/a', body: null })
  const form = upload?.body
  expect(form instanceof FormData && form.get('file') instanceof File).toBe(true)
})

test('a refusal keeps its status and body, an empty answer is no JSON', async () => {
  answer = () => Response.json({ error: 'No' }, { status: 409, headers: { 'Retry-After': '3' } })
  const refusal = await unwrap(api.ext.views.get()).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Refusal)
  expect(refusal).toMatchObject({ status: 409, retryAfterSeconds: 3, message: 'No' })
  answer = () => new Response(null, { status: 204 })
  expect(await api.ext.views.get()).toMatchObject({ error: null })
  answer = () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } })
  expect(await unwrap(api.ext.views.get()).catch((error: unknown) => error)).toMatchObject({
    status: 404,
  })
})

test('without a response the service is unreachable', async () => {
  answer = () => Promise.reject(new TypeError('Failed to fetch'))
  const error = await unwrap(api.ext.views.get()).catch((cause: unknown) => cause)
  expect(isUnreachable(error)).toBe(true)
})
