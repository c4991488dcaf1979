import { beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { atEnd } from '../../../test/support/cleanup.ts'
import { testServer } from '../../../test/support/test-server.ts'
import { createOutside, OutsideError, userAgent } from './outside.ts'
import manifest from '../../../package.json'

let answers: Response[] = []
let agents: (string | null)[] = []
let sent: string[] = []
let open = 0
let most = 0

const { url, port } = testServer(async (request) => {
  agents.push(request.headers.get('user-agent'))
  sent.push(`${request.method} ${await request.text()}`)
  most = Math.max(most, ++open)
  await Bun.sleep(5)
  open--
  return answers.shift() ?? new Response('well')
})
beforeEach(() => {
  answers = []
  agents = []
  sent = []
  most = 0
})

const request = () => ({ url: `${url}/a?key=secret`, timeoutMs: 2000 })
const outside = createOutside({ gapMs: 1, pauseMs: 1 })
const text = (response: Response) => response.text()

test('names Larder and its version, and asks one host one request at a time', async () => {
  const got = await Promise.all([1, 2, 3, 4].map(() => outside.get(request(), text)))
  expect(got).toEqual(['well', 'well', 'well', 'well'])
  expect(most).toBe(1)
  expect(new Set(agents)).toEqual(new Set([`Larder/${manifest.version}`]))
  expect(userAgent).toBe(`Larder/${manifest.version}`)
})

test('asks one host as many requests at a time as it is told', async () => {
  const faster = createOutside({ gapMs: 1, parallel: 3 })
  await Promise.all(Array.from({ length: 12 }, () => faster.get(request(), text)))
  expect(most).toBe(3)
})

test.each([429, 500, 502, 503, 504])('%d: asks again, three times in all', async (status) => {
  answers = [new Response('', { status }), new Response('', { status })]
  expect(await outside.get(request(), text)).toBe('well')
  answers = [1, 2, 3].map(() => new Response('', { status }))
  const error = await outside.get(request(), text).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(OutsideError)
  expect(String(error)).toBe(`Error: 127.0.0.1:${port} answered with status ${status}`)
  expect(agents).toHaveLength(6)
})

test('404 is final, and 304 is an answer', async () => {
  answers = [new Response('', { status: 404 }), new Response(null, { status: 304 })]
  expect(outside.get(request(), text)).rejects.toThrow('status 404')
  expect(await outside.get(request(), async ({ status }) => status)).toBe(304)
  expect(agents).toHaveLength(2)
})

test('waits as long as Retry-After says', async () => {
  answers = [new Response('', { status: 429, headers: { 'Retry-After': '1' } })]
  const startedMs = performance.now()
  expect(await outside.get(request(), text)).toBe('well')
  expect(performance.now() - startedMs).toBeGreaterThan(950)
})

test('a cancelled call ends at once, and the next one gets its turn', async () => {
  const patient = createOutside({ gapMs: 1, pauseMs: 60_000 })
  answers = [new Response('', { status: 503 })]
  const controller = new AbortController()
  const cancelled = patient.get({ ...request(), signal: controller.signal }, text)
  while (agents.length === 0) await Bun.sleep(1)
  controller.abort(new Error('enough'))
  expect(cancelled).rejects.toThrow('enough')
  expect(await patient.get(request(), text)).toBe('well')
})

test('a call that is cancelled before its turn ends at once', async () => {
  const held = Promise.withResolvers<string>()
  const first = outside.get(request(), () => held.promise)
  const controller = new AbortController()
  const second = outside.get({ ...request(), signal: controller.signal }, text)
  controller.abort(new Error('enough'))
  expect(await second.catch(String)).toBe('Error: enough')
  held.resolve('done')
  expect(await first).toBe('done')
  expect(agents).toHaveLength(1)
})

test('sends a body, and hands over refusals that are expected', async () => {
  answers = [new Response('refused', { status: 400 })]
  const post = { ...request(), method: 'POST', body: 'a=1', accepts: [400] } as const
  expect(await outside.get(post, text)).toBe('refused')
  expect(sent).toEqual(['POST a=1'])
})

test('asks as often as it may, and follows no redirect with credentials', async () => {
  answers = [new Response('', { status: 503 })]
  expect(outside.get({ ...request(), attempts: 1 }, text)).rejects.toThrow('status 503')
  expect(await outside.get(request(), text)).toBe('well')
  const away = () => new Response('', { status: 302, headers: { Location: '/elsewhere' } })
  answers = [away(), away()]
  const call = { ...request(), attempts: 1 }
  expect(await outside.get({ ...call, redirect: 'error' }, text).catch(String)).toEndWith(
    'redirects to another address, which is not followed',
  )
  expect(sent).toHaveLength(3)
  expect(await outside.get(call, text)).toBe('well')
})

test('says what a host did that gave no answer, without the address', async () => {
  const tls = join(import.meta.dir, '../../../test/support/tls')
  const unknown = Bun.serve({
    port: 0,
    tls: {
      cert: Bun.file(join(tls, 'renewed.cert.pem')),
      key: Bun.file(join(tls, 'renewed.key.pem')),
    },
    fetch: () => new Response('well'),
  })
  const silent = Bun.serve({ port: 0, fetch: () => new Promise(() => {}) })
  atEnd(async () => {
    await Promise.all([unknown.stop(true), silent.stop(true)])
  })
  const failure = (address: string, timeoutMs: number) => {
    const call = { url: `${address}/a?key=secret`, timeoutMs, attempts: 1 }
    return outside.get(call, text).catch(String)
  }
  expect(await failure(`https://localhost:${unknown.port}`, 10_000)).toBe(
    `Error: localhost:${unknown.port} has a certificate that is not trusted`,
  )
  expect(await failure(`http://localhost:${silent.port}`, 50)).toBe(
    `Error: localhost:${silent.port} did not answer in time`,
  )
  expect(await failure('http://127.0.0.1:1', 10_000)).toBe('Error: 127.0.0.1:1 cannot be reached')
})

/** 64 MiB of spaces, compressed to 65 kB. */
const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))
const bombed = () => new Response(bomb, { headers: { 'Content-Encoding': 'gzip' } })
const endless = () => new Response(new ReadableStream({ pull: (to) => to.enqueue(bomb) }))

test.each([
  ['text', (response: Response) => response.text()],
  ['JSON', (response: Response) => response.json()],
  ['bytes', (response: Response) => response.arrayBuffer()],
  ['a stream', (response: Response) => Array.fromAsync(response.body ?? [])],
])('a body that is too long fails while it is read as %s', async (_name, use) => {
  for (const answer of [bombed(), endless()]) {
    answers = [answer]
    const error = await outside
      .get({ ...request(), bytesMax: 1024 * 1024, timeoutMs: 60_000 }, use)
      .catch(String)
    expect(error).toBe(`Error: 127.0.0.1:${port} sent more than 1048576 bytes`)
  }
})

test('a body that stops arriving ends with the time of the request', async () => {
  const stalled = new ReadableStream({
    start: (to) => to.enqueue(Buffer.from('{')),
    pull: () => new Promise(() => {}),
  })
  answers = [new Response(stalled)]
  const failure = await outside.get({ ...request(), timeoutMs: 200 }, text).catch(String)
  expect(failure).toContain('did not answer in time')
})
