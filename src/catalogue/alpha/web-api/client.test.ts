import { expect, test } from 'bun:test'
import type { Answer } from '../../../../test/support/stand-ins/serve-locally.ts'
import { testServer } from '../../../../test/support/test-server.ts'
import { createAlphaWebApi, isWebApiKey, type Probe } from './client.ts'

let answer: () => Answer = () => new Response()
let seen: { path: string; key: string | null }[] = []
const { url } = testServer((request) => {
  const { pathname, search } = new URL(request.url)
  seen.push({ path: pathname + search, key: request.headers.get('x-webapi-key') })
  return answer()
})

const key = '0123456789ABCDEF0123456789abcdef'
const api = (options: { timeoutMs?: number } = {}) =>
  createAlphaWebApi({ baseUrl: url, ...options })

const answers: [string, () => Answer, Probe][] = [
  ['the list', () => Response.json({ response: { apps: [], have_more_results: true } }), 'works'],
  ['an empty list', () => new Response(' {"response":{}}'), 'works'],
  ['401', () => new Response('Unauthorized', { status: 401 }), 'refused'],
  ['403', () => new Response('<html>Forbidden', { status: 403 }), 'refused'],
  ['404', () => new Response('Not Found', { status: 404 }), 'missing'],
  ['429', () => new Response('', { status: 429 }), 'busy'],
  ['503', () => new Response('', { status: 503 }), 'busy'],
  ['a portal page', () => new Response('<html>Welcome to the hotel</html>'), 'unexpected'],
  ['nothing', () => new Response(null), 'unexpected'],
  ['418', () => new Response('', { status: 418 }), 'unexpected'],
  ['a redirect', () => Response.redirect('http://127.0.0.1:1/elsewhere'), 'unreachable'],
]

test.each(answers)('store list answering with %s', async (_, given, expected) => {
  answer = given
  expect(await api().probeStoreList(key)).toBe(expected)
})

test('the key is sent in a header, never in the URL', async () => {
  seen = []
  answer = () => Response.json({ response: {} })
  await api().probeStoreList(key)
  await api().probeStoreList(null)
  await api().probePublicList()
  expect(seen).toEqual([
    { path: '/IStoreService/GetAppList/v1/?max_results=1', key },
    { path: '/IStoreService/GetAppList/v1/?max_results=1', key: null },
    { path: '/ISteamApps/GetAppList/v2/', key: null },
  ])
})

test('only the beginning of the public list is read', async () => {
  let sent = 0
  const chunk = new TextEncoder().encode('{"appid":440,"name":"Team"},'.repeat(1000))
  answer = () =>
    new Response(
      new ReadableStream({
        start: (stream) => stream.enqueue(new TextEncoder().encode('{"applist":{"apps":[')),
        async pull(stream) {
          sent += chunk.length
          stream.enqueue(chunk)
          await Bun.sleep(1)
        },
      }),
    )
  expect(await api().probePublicList()).toBe('works')
  expect(sent).toBeLessThan(20 * 1024 * 1024)
})

test('a server that never answers, and one that stalls, time out', async () => {
  answer = () => new Promise(() => {})
  expect(await api({ timeoutMs: 50 }).probePublicList()).toBe('timeout')
  answer = () =>
    new Response(
      new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{')) }),
    )
  expect(await api({ timeoutMs: 50 }).probePublicList()).toBe('timeout')
})

test('connection refused', async () => {
  const away = createAlphaWebApi({ baseUrl: 'http://127.0.0.1:1' })
  expect(await away.probeStoreList(key)).toBe('unreachable')
})

test.each([
  [key, true],
  [key.slice(1), false],
  [`${key}0`, false],
  [`${key.slice(1)}g`, false],
  [`${key}\n`, false],
  ['', false],
])('isWebApiKey(%p)', (text, expected) => expect(isWebApiKey(text)).toBe(expected))
