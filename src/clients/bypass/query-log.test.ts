import { afterEach, describe, expect, test } from 'bun:test'
import { serveLocally, type Answer } from '../../../test/support/stand-ins/serve-locally.ts'
import { createOutside } from '../../core/lib/outside.ts'
import { problemOf, readQueryLog, type QueryLog } from './query-log.ts'

const outside = createOutside({ gapMs: 0, pauseMs: 1 })
const impatient = createOutside({ gapMs: 0, pauseMs: 1, timeoutMsMax: 300 })
const servers: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
})
function serve(answer: (request: Request, path: string) => Answer): string {
  const server = serveLocally((request) => answer(request, new URL(request.url).pathname))
  servers.push(server)
  return server.url
}
const log = (kind: QueryLog['kind'], url: string): QueryLog => ({
  kind,
  url,
  user: 'larder',
  password: 'secret_word',
})
const refused = () => new Response('secret_word', { status: 401 })

/** AdGuard Home, as its OpenAPI document describes it. */
const adguard = () =>
  serve((request, path) => {
    const wanted = `Basic ${btoa('larder:secret_word')}`
    if (request.headers.get('authorization') !== wanted) return refused()
    if (path !== '/control/querylog') return new Response('', { status: 404 })
    const query = (name: string, type: string, rest: object) => ({
      question: { class: 'IN', name, type },
      client: '192.168.1.5',
      client_info: { name: 'desk' },
      elapsedMs: '0.5',
      time: '2026-11-25T20:00:00.5+01:00',
      status: 'NOERROR',
      ...rest,
    })
    const chain = [
      { type: 'CNAME', value: 'edge.example.net.', ttl: 60 },
      { type: 'A', value: '203.0.113.7', ttl: 60 },
    ]
    return Response.json({
      oldest: '2026-11-25T19:00:00Z',
      data: [
        query('lancache.steamcontent.com', 'A', { answer: chain }),
        query('lancache.steamcontent.com', 'AAAA', { answer: null, client: '::ffff:192.168.1.5' }),
        query('lancache.steamcontent.com', 'HTTPS', {}),
        query('odd.example.net', 'A', { client: 'not an address' }),
        query('odd.example.net', 'A', { time: 'yesterday' }),
      ],
    })
  })

/** Pi-hole 6 with one session at a time. */
function pihole() {
  const calls: string[] = []
  const url = serve(async (request, path) => {
    calls.push(`${request.method} ${path}`)
    if (path === '/api/auth' && request.method === 'POST') {
      const { password } = (await request.json()) as { password: string }
      const isRight = password === 'secret_word'
      const session = { valid: isRight, totp: false, sid: isRight ? 'sid=' : null, validity: 300 }
      return Response.json({ session, took: 0.1 }, { status: isRight ? 200 : 401 })
    }
    if (request.headers.get('x-ftl-sid') !== 'sid=') return refused()
    if (path === '/api/auth') return new Response(null, { status: 204 })
    const query = (status: string, upstream: string | null, type = 'A') => ({
      id: 1,
      time: 1_795_636_800.25,
      type,
      status,
      dnssec: 'UNKNOWN',
      upstream,
      domain: 'lancache.steamcontent.com',
      reply: { type: 'IP', time: 0.1 },
      client: { ip: '192.168.1.5', name: null },
    })
    const queries = [
      query('FORWARDED', '9.9.9.9#53'),
      query('CACHE', null),
      query('CACHE', '9.9.9.9#53'),
      query('FORWARDED', 'fd00::10#53', 'AAAA'),
      query('GRAVITY', null, 'SVCB'),
    ]
    return Response.json({ queries, cursor: 1, recordsTotal: 5, recordsFiltered: 5 })
  })
  return { url, calls }
}

test('AdGuard Home: addresses of the answers, without the names on the way', async () => {
  const common = { client: '192.168.1.5', host: 'lancache.steamcontent.com', upstream: null }
  const atMs = Date.parse('2026-11-25T19:00:00.5Z')
  expect(await readQueryLog(outside, log('adguard', adguard()))).toEqual([
    { ...common, atMs, type: 'A', addresses: ['203.0.113.7'] },
    { ...common, atMs, type: 'AAAA', addresses: [] },
  ])
})

test('Pi-hole: the server that was asked, and a session that ends', async () => {
  const { url, calls } = pihole()
  const answers = await readQueryLog(outside, log('pihole', url))
  expect(answers.map(({ type, upstream }) => [type, upstream])).toEqual([
    ['A', '9.9.9.9'],
    ['A', null],
    ['A', null],
    ['AAAA', 'fd00::10'],
  ])
  expect(answers[0]).toMatchObject({
    client: '192.168.1.5',
    atMs: 1_795_636_800_250,
    addresses: [],
  })
  expect(calls).toEqual(['POST /api/auth', 'GET /api/queries', 'DELETE /api/auth'])
})

describe.each(['adguard', 'pihole'] as const)('%s', (kind) => {
  const problem = async (url: string, patience = outside) => {
    const reading = readQueryLog(patience, log(kind, url))
    return problemOf(
      await reading.then(
        () => null,
        (error: unknown) => error,
      ),
    )
  }
  test.each<[string, () => string, RegExp]>([
    ['a wrong password', () => serve(refused), /refuses the sign-in/],
    ['too many attempts', () => serve(() => new Response('', { status: 429 })), /asks to wait/],
    [
      'a page instead of JSON',
      () => serve(() => new Response('<html>secret_word</html>')),
      /answered in an unknown form/,
    ],
    ['JSON of something else', () => serve(() => Response.json({ data: 1 })), /unknown form/],
    ['an error', () => serve(() => new Response('', { status: 500 })), /status 500/],
    [
      'another address',
      () => serve(() => Response.redirect('http://127.0.0.1:9/')),
      /redirects to another address/,
    ],
    ['too much', () => serve(() => new Response(new Uint8Array(9 * 1024 * 1024))), /more than/],
    ['nobody there', () => 'http://127.0.0.1:1', /cannot be reached/],
    ['a forbidden address', () => 'http://169.254.169.254', /not allowed/],
  ])('%s', async (_, server, expected) => {
    const text = await problem(server())
    expect(text).toMatch(expected)
    expect(text).not.toContain('secret_word')
  })

  test('no answer', async () => {
    const url = serve(() => Promise.withResolvers<Response>().promise)
    expect(await problem(url, impatient)).toMatch(/in time/)
  })
})

test('a session of Pi-hole ends also when its queries cannot be read', async () => {
  const calls: string[] = []
  const url = serve((request, path) => {
    calls.push(`${request.method} ${path}`)
    if (request.method === 'POST') return Response.json({ session: { valid: true, sid: 'a' } })
    return new Response('', { status: 500 })
  })
  expect(readQueryLog(outside, log('pihole', url))).rejects.toThrow('status 500')
  await readQueryLog(outside, log('pihole', url)).catch(() => {})
  expect(calls.at(-1)).toBe('DELETE /api/auth')
})

test('a mistake of ours is none of the server', () => {
  expect(() => problemOf(new TypeError('x'))).toThrow(TypeError)
})
