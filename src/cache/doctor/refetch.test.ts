import { expect, test } from 'bun:test'
import { testServer } from '../../../test/support/test-server.ts'
import { heartbeat } from '../../core/lib/heartbeat.ts'
import { findProxy } from '../../core/lib/find-cache.ts'
import type { NodeHost } from '../../engines/remote/hosts.ts'
import type { CacheParts } from '../parts.ts'
import { fetchThrough, requireProxy } from './refetch.ts'

const asked: { path: string; host: string; agent: string; range: string }[] = []

/** A cache, and servers that only resemble one. */
const { port, url } = testServer((request) => {
  const { pathname, search } = new URL(request.url)
  const { headers } = request
  const get = (name: string) => headers.get(name) ?? ''
  asked.push({
    path: pathname + search,
    host: get('host'),
    agent: get('user-agent'),
    range: get('range'),
  })
  if (pathname === '/lancache-heartbeat') {
    return new Response(null, { status: 204, headers: { 'X-LanCache-Processed-By': 'cache-1' } })
  }
  if (pathname === '/moved') return Response.redirect('http://127.0.0.1:1/elsewhere')
  const body = new Uint8Array(5000)
  return new Response(body, { headers: { 'X-Upstream-Cache-Status': 'HIT' } })
})
const impostors = [
  () => new Response(null, { status: 204 }),
  () => new Response('hello', { headers: { 'X-LanCache-Processed-By': 'no' } }),
  () => Response.redirect(`${url}/lancache-heartbeat`),
].map((answer) => testServer(answer))

test('only a server with the heartbeat is a cache', async () => {
  expect(await heartbeat('127.0.0.1', port)).toEqual({ host: '127.0.0.1', port, name: 'cache-1' })
  for (const one of impostors) expect(await heartbeat('127.0.0.1', one.port)).toBeNull()
  expect(await heartbeat('127.0.0.1', 1)).toBeNull()
  expect(await findProxy({ host: 'localhost', port })).toMatchObject({ name: 'cache-1', port })
  expect(await findProxy({ host: 'no-such-host.invalid', port })).toBeNull()
})

test('requests resemble those of clients and are recognisable as our own', async () => {
  const proxy = { host: '127.0.0.1', port, name: 'cache-1' }
  const object = { tag: 'steam', target: '/a b/ä?x=1', host: 'cdn.example.test' }
  const fetched = await fetchThrough(proxy, object, { first: 0, last: 99 })
  expect(fetched).toEqual({
    status: 200,
    bytes: 5000,
    expectedBytes: 5000,
    isWhole: true,
    cacheStatus: 'HIT',
    problem: null,
    problemKey: null,
  })
  expect(asked.at(-1)).toEqual({
    path: '/a%20b/%C3%A4?x=1',
    host: 'cdn.example.test',
    agent: 'Valve/Steam HTTP Client 1.0 Larder-Probe/1',
    range: 'bytes=0-99',
  })
  await fetchThrough(proxy, { ...object, tag: 'riot' }, null)
  expect(asked.at(-1)).toMatchObject({ agent: 'Larder-Probe/1', range: '' })
  const moved = await fetchThrough(proxy, { ...object, target: '/moved' }, null)
  expect(moved.status).toBe(302)
  const away = await fetchThrough({ ...proxy, port: 1 }, object, null)
  expect(away).toMatchObject({ status: 0, isWhole: false, problemKey: 'connectionLost' })
})

test('at most two objects at a time', async () => {
  const proxy = { host: '127.0.0.1', port, name: 'cache-1' }
  const object = { tag: 'riot', target: '/a', host: 'cdn.example.test' }
  const outcomes = await Promise.allSettled(
    Array.from({ length: 3 }, () => fetchThrough(proxy, object, null)),
  )
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
})

test('the cache of a node is asked at a private address only, and never another one instead', async () => {
  const proxyAt = (host: string) => {
    const node = {
      name: 'attic',
      datasources: () => ['attic'],
      cacheAddress: () => ({ host, port }),
    } as Partial<NodeHost> as NodeHost
    const config = { doctor: { proxy: { host: '127.0.0.1', port } } }
    const parts = { config, nodeHosts: { all: () => [node] } } as unknown as CacheParts
    return requireProxy(parts, 'attic')
  }
  expect(await proxyAt('127.0.0.1')).toMatchObject({ name: 'cache-1' })
  asked.length = 0
  const refused = await proxyAt('198.51.100.7').catch(String)
  expect(refused).toContain('The cache of the node attic did not answer')
  expect(asked).toEqual([])
})
