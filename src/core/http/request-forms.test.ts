import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import pino from 'pino'
import { Elysia, t } from 'elysia'
import { anonymous } from '../caller.ts'
import { Nullable, stringUnion } from '../lib/schema.ts'
import { createAccess } from './access.ts'
import { AppError, errors } from './errors.ts'

interface Problem {
  errors: Record<string, string[]>
  detail: string
}

const body = t.Optional(
  Type.Object({
    name: Type.Optional(Type.String({ maxLength: 20 })),
    isLocked: Type.Optional(Type.Boolean()),
    password: Type.Optional(Type.Union([Type.String({ maxLength: 5 }), Type.Null()])),
    hours: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 720 }), Type.Null()])),
    count: Type.Optional(Type.Integer()),
    mode: Type.Optional(Type.Union([Type.Literal('full'), Type.Literal('rsync')])),
    kept: Type.Optional(Nullable(stringUnion(['always', 'never']))),
    ips: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
    rules: Type.Optional(Type.Array(Type.Object({ ip: Type.String() }), { maxItems: 3 })),
  }),
)

function setUp() {
  const access = createAccess({
    limit: (request) => {
      if (request.headers.has('X-Used-Up')) throw new AppError('tooMany')
    },
    identify: async ({ headers }) =>
      headers.has('X-Account') ? { ...anonymous, kind: 'session', role: 'user' } : anonymous,
    addressOf: () => null,
    antiforgery: () => {},
  })
  const seen = ({ body: given }: { body: unknown }) => ({ seen: given })
  const routes = new Elysia()
    .use(access.plugin)
    .patch('/thing', seen, { access: 'public', body })
    .put('/needed', seen, {
      access: 'public',
      body: Type.Object({ name: Type.Optional(t.String()) }),
    })
    .get('/settings', () => ({ name: 'a', state: 'off' }), {
      access: 'public',
      response: { 200: Type.Object({ name: Type.String(), state: Type.String() }) },
    })
    .put('/settings', seen, {
      access: 'public',
      body: Type.Object({ name: Type.Optional(t.String()) }),
    })
    .put('/bare', seen, { access: 'public', body: t.String() })
    .patch('/closed', seen, { access: 'session', body: Type.Object({}) })
    .post('/nothing', () => ({ seen: null }), { access: 'public' })
    .post('/upload', ({ body: { file } }) => ({ seen: file.size }), {
      access: 'public',
      bodyBytesMax: 200_000,
      body: t.Object({ file: t.File() }),
    })
    .get('/list', ({ query }) => query, {
      access: 'public',
      query: t.Object({
        PageSize: t.Optional(t.Integer()),
        hours: t.Optional(t.Integer({ minimum: 1, maximum: 9 })),
        sort: t.Optional(Type.Union([Type.Literal('Size'), Type.Literal('name')])),
        force: t.Optional(t.Boolean()),
        text: t.Optional(t.String({ maxLength: 5 })),
      }),
    })
    .get('/apps/:appId/:row', ({ params }) => params, {
      access: 'public',
      params: t.Object({ appId: t.Integer({ minimum: 1, maximum: 900 }), row: t.Integer() }),
    })
    .get('/named/:name', ({ params }) => params, {
      access: 'public',
      params: t.Object({ name: t.String() }),
    })
  access.forms.learn(routes.routes)
  const limited = { policy: 'public', limit: 'auth', antiforgery: true, shared: [] } as const
  access.follow(new Map([['PATCH /thing', { ...limited, stageKey: null }]]))
  const rules = { log: pino({ level: 'silent' }), unmatched: () => new Response('dashboard') }
  const app = new Elysia().use(errors(rules)).use(routes)
  return (path: string, init?: RequestInit) =>
    app.handle(new Request(`http://localhost${path}`, init))
}

const ask = setUp()
const json = { 'Content-Type': 'application/json' }
const send = (
  method: string,
  path: string,
  text: RequestInit['body'],
  headers: RequestInit['headers'] = json,
) => ask(path, { method, body: text, headers })
const patch = (value: unknown) => send('PATCH', '/thing', JSON.stringify(value))

async function faultsOf(answer: Response): Promise<Record<string, string[]>> {
  expect(answer.status).toBe(400)
  return ((await answer.json()) as Problem).errors
}

describe('kinds of bodies', () => {
  test.each(['"text"', '5', 'true', '[1]', '[]', 'null'])('rejects %s', async (text) => {
    const faults = await faultsOf(await send('PATCH', '/thing', text))
    expect(faults['body']?.[0]).toStartWith('Expected an object')
  })

  test.each(['{}', '{"name":"a"}'])('%s is', async (text) => {
    expect((await send('PATCH', '/thing', text)).status).toBe(200)
  })

  test('an optional body may be omitted, any other may not', async () => {
    expect((await ask('/thing', { method: 'PATCH' })).status).toBe(200)
    const faults = await faultsOf(await ask('/needed', { method: 'PUT' }))
    expect(faults['body']?.[0]).toContain('is missing')
  })

  test('a number in a path is named when it is out of its limits', async () => {
    const faults = await faultsOf(await ask('/apps/0/5'))
    expect(faults).toEqual({ appId: ['Expected a whole number from 1 to 900, received "0"'] })
    expect((await ask('/apps/9/9007199254740991')).status).toBe(200)
  })

  test('an answer can be sent back, but no member of it alone', async () => {
    const answer = await (await ask('/settings')).text()
    expect(await (await send('PUT', '/settings', answer)).json()).toEqual({ seen: { name: 'a' } })
    const faults = await faultsOf(await send('PUT', '/settings', '{"state":"on"}'))
    expect(faults['state']?.[0]).toContain('Is not known here')
    await faultsOf(await send('PUT', '/settings', '{"name":"b","stat":"on"}'))
  })

  test('accepts a bare value where documented', async () => {
    const answer = await send('PUT', '/bare', '"all"')
    expect(await answer.json()).toEqual({ seen: 'all' })
  })

  test.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])(
    'rejects JSON sent as %s and names the header to send',
    async (type) => {
      const headers = { 'Content-Type': type }
      const answer = await send('PATCH', '/thing', '{"isLocked":true}', headers)
      expect(answer.status).toBe(415)
      expect(await answer.text()).toContain("-H 'Content-Type: application/json'")
    },
  )

  test('accepts a charset after the media type', async () => {
    const headers = { 'Content-Type': 'Application/JSON; charset=utf-8' }
    expect((await send('PATCH', '/thing', '{"name":"ü"}', headers)).status).toBe(200)
  })

  test.each(['{"name":', '\u00ff', '['.repeat(30_000)])('rejects %.10s', async (text) => {
    const faults = await faultsOf(await send('PATCH', '/thing', text))
    expect(faults).toEqual({ body: ['could not be read as JSON'] })
  })

  test('rejects bytes that are not UTF-8', async () => {
    const bytes = Uint8Array.from([0x22, 0xff, 0x22])
    const faults = await faultsOf(await send('PATCH', '/thing', bytes))
    expect(faults).toEqual({ body: ['could not be read as JSON'] })
  })

  test('accepts only an empty object where no body is documented', async () => {
    expect((await ask('/nothing', { method: 'POST' })).status).toBe(200)
    expect((await send('POST', '/nothing', ' {} ')).status).toBe(200)
    const faults = await faultsOf(await send('POST', '/nothing', '{"all":true}'))
    expect(faults['body']?.[0]).toContain('takes no body')
  })

  test('accepts files as multipart/form-data', async () => {
    const form = new FormData()
    form.set('file', new File(['x'.repeat(100_000)], 'a.toml'))
    const answer = await send('POST', '/upload', form, {})
    expect(await answer.json()).toEqual({ seen: 100_000 })
    expect((await send('POST', '/upload', '{}')).status).toBe(415)
    const broken = { 'Content-Type': 'multipart/form-data; boundary=x' }
    await faultsOf(await send('POST', '/upload', 'nonsense', broken))
  })
})

/** An endless body, and how often it was read. */
function watchedBody() {
  let pulled = 0
  const source: { pull(controller: ReadableStreamDefaultController<Uint8Array>): void } = {
    pull(controller) {
      pulled++
      controller.enqueue(new Uint8Array(1000))
    },
  }
  return { stream: new ReadableStream(source, { highWaterMark: 0 }), pulled: () => pulled }
}

describe('sizes', () => {
  const large = JSON.stringify({ name: 'x'.repeat(70_000) })

  test('refuses a body above the limit', async () => {
    const answer = await send('PATCH', '/thing', large)
    expect(answer.status).toBe(413)
    expect(await answer.text()).toContain('65536 bytes')
  })

  test('a declared length is checked before reading', async () => {
    const { stream, pulled } = watchedBody()
    const headers = { ...json, 'Content-Length': '70000' }
    expect((await send('PATCH', '/thing', stream, headers)).status).toBe(413)
    expect(pulled()).toBe(0)
  })

  test('a body without a declared length is cut off at the limit', async () => {
    let sent = 0
    let isCancelled = false
    const stream = new ReadableStream({
      pull(controller) {
        sent += 1000
        controller.enqueue(new Uint8Array(1000))
      },
      cancel() {
        isCancelled = true
      },
    })
    expect((await send('PATCH', '/thing', stream)).status).toBe(413)
    expect(sent).toBeLessThan(80_000)
    expect(isCancelled).toBe(true)
  })

  test.each([
    ['a used up budget', '/thing', { 'X-Used-Up': '1' }, 429],
    ['a missing session', '/closed', {}, 401],
  ])('%s is answered without reading the body', async (_, path, extra, status) => {
    const { stream, pulled } = watchedBody()
    expect((await send('PATCH', path, stream, { ...json, ...extra })).status).toBe(status)
    expect(pulled()).toBe(0)
  })

  test('bounds the sum of bodies, and releases finished ones', async () => {
    const app = setUp()
    const waiting: ReadableStreamDefaultController<Uint8Array>[] = []
    const headers = { ...json, 'X-Account': 'yes' }
    const start = () => {
      const stream = new ReadableStream<Uint8Array>({ start: (one) => void waiting.push(one) })
      return app('/thing', { method: 'PATCH', body: stream, headers })
    }
    const held = Array.from({ length: 256 }, start)
    const refused = await start()
    expect(refused.status).toBe(503)
    expect(refused.headers.get('Retry-After')).toBe('1')
    for (const one of waiting.slice(0, 256)) {
      one.enqueue(new TextEncoder().encode('{}'))
      one.close()
    }
    const answers = await Promise.all(held)
    expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([])
    const body = { method: 'PATCH', body: '{}', headers: json }
    expect((await app('/thing', body)).status).toBe(200)
  })
})

describe('members and values of a body', () => {
  test('names and enum values match regardless of case', async () => {
    const answer = await patch({ ISLOCKED: true, Mode: 'RSYNC', kept: 'Always' })
    expect(await answer.json()).toEqual({ seen: { isLocked: true, mode: 'rsync', kept: 'always' } })
  })

  test.each([
    [{ islokced: true }, 'islokced', 'did you mean "isLocked"?'],
    [{ zzzzzzzzzz: 1 }, 'zzzzzzzzzz', 'known are name, isLocked'],
    [{ rules: [{ ip: 'a', pi: 'b' }] }, 'rules.0.pi', 'did you mean "ip"?'],
    [{ name: 'a', NAME: 'b' }, 'name', 'given twice'],
    [{ isLocked: 'x' }, 'isLocked', 'Expected true or false, received "x"'],
    [{ hours: 721 }, 'hours', 'Expected a whole number from 1 to 720 or null, received 721'],
    [{ hours: 1.5 }, 'hours', 'received 1.5'],
    [{ mode: 'half' }, 'mode', 'Expected one of full, rsync, received "half"'],
    [{ kept: 'x' }, 'kept', 'Expected one of always, never or null, received "x"'],
    [{ ips: '' }, 'ips', 'Expected a list or null, received ""'],
    [{ ips: '10.0.0.1' }, 'ips', 'Expected a list or null, received "10.0.0.1"'],
    [{ ips: {} }, 'ips', 'Expected a list or null, received an object'],
    [{ rules: [{}, {}, {}, {}] }, 'rules', 'at most 3 entries'],
    [{ rules: [{}] }, 'rules.0.ip', 'Is missing; expected text'],
    [{ name: 'x'.repeat(200) }, 'name', '…'],
    [{ count: 2 ** 31 }, 'count', 'from -2147483647 to 2147483647'],
    [{ name: 'a\0b' }, 'name', 'null character'],
    [{ ips: ['a', 'b\0'] }, 'ips.1', 'null character'],
    [{ 'na\0me': 1 }, '"na\\u0000me"', 'null character'],
    [{ name: 'a\ud800' }, 'name', 'surrogate'],
    [{ count: 2 ** 53 }, 'count', 'beyond what can be held exactly'],
  ])('%j', async (value, field, message) => {
    const faults = await faultsOf(await patch(value))
    expect(faults[field]?.join(' ')).toContain(message)
  })

  test('reports excessive numbers and deep nesting as faults, not as failures', async () => {
    await faultsOf(await send('PATCH', '/thing', '{"count":1e999}'))
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`
    await faultsOf(await send('PATCH', '/thing', `{"ips":${deep}}`))
  })

  test('cuts no character of a name or value in half', async () => {
    for (const value of [{ [`${'x'.repeat(59)}😀`]: 1 }, { ips: `${'x'.repeat(38)}😀` }]) {
      const text = JSON.stringify(await (await patch(value)).json())
      // Half of a pair would be written as an escape.
      expect(text).toContain('\ufffd')
      expect(text).not.toContain('\\ud')
    }
  })

  test('never repeats the value of a secret member', async () => {
    const answer = await patch({ password: 'Tr0ub4dor' })
    expect(await answer.text()).not.toContain('Tr0ub4dor')
  })

  test('names the field in the message', async () => {
    const { detail } = (await (await patch({ isLocked: 1 })).json()) as Problem
    expect(detail).toBe('isLocked: Expected true or false, received 1')
  })
})

describe('path and query', () => {
  test.each(['PageSize=5', 'pagesize=5', 'PAGESIZE=5'])('%s', async (query) => {
    expect(await (await ask(`/list?${query}`)).json()).toEqual({ PageSize: 5 })
  })

  test('an exact name takes precedence over another spelling', async () => {
    expect(await (await ask('/list?pagesize=5&PageSize=7')).json()).toEqual({ PageSize: 7 })
  })

  test('values of enums and flags match regardless of case', async () => {
    const answer = await ask('/list?sort=sIZE&force=True')
    expect(await answer.json()).toEqual({ sort: 'Size', force: true })
  })

  test.each([
    ['text=%00', 'text', 'null character'],
    ['unknown=a%00', 'unknown', 'null character'],
    ['PageSize=9223372036854775808', 'PageSize', 'received "9223372036854775808"'],
    ['PageSize=2147483648', 'PageSize', 'a whole number from -2147483647 to 2147483647'],
    ['PageSize=abc', 'PageSize', 'received "abc"'],
    ['hours=10', 'hours', 'Expected a whole number from 1 to 9, received "10"'],
    ['force=maybe', 'force', 'Expected true or false'],
    ['sort=age', 'sort', 'Expected one of Size, name'],
    ['text=abcdef', 'text', 'of at most 5 characters, received "abcdef"'],
  ])('%s', async (query, field, message) => {
    const faults = await faultsOf(await ask(`/list?${query}`))
    expect(faults[field]?.join(' ')).toContain(message)
  })

  test('reports a null character in a path with its parameter', async () => {
    const faults = await faultsOf(await ask('/named/ep%00icgames'))
    expect(faults).toEqual({ name: ['Contains a null character'] })
  })
})
