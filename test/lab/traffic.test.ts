import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Visitor } from '../../src/demo/visitor.ts'
import { expectTotals } from './expect-totals.ts'
import { Larder } from './larder.ts'
import { referenceCount } from './reference-count.ts'
import { alphaHeaders, download, startProxy, type Proxy } from './proxy.ts'
import { eventually } from '../support/eventually.ts'
import { slowness } from '../support/slowness.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('lab')
let proxy: Proxy
let larder: Larder
let visitor: Visitor

beforeAll(async () => {
  proxy = await startProxy(root)
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: proxy.cachePath,
    sources: [
      { name: 'plain', logPath: proxy.plainLogs },
      { name: 'json', logPath: proxy.jsonLogs },
      { name: 'detailed', logPath: proxy.detailedLogs },
    ],
  })
  visitor = await larder.firstSignIn()
})

afterAll(async () => {
  expect(await larder.stop()).toBe(0)
  await proxy.stop()
})

const depot = '/size/3158073/depot/441/chunk/aa'
const other = { host: 'cdn.example.test' }
const alpha = (from: string, path: string, headers: Record<string, string> = {}) =>
  download({ port: proxy.port, path, from, headers: { ...alphaHeaders, ...headers } })

const log = (folder: string, file = 'access.log') => readFileSync(join(root, folder, file), 'utf8')

describe('real downloads through a real proxy', () => {
  test('the second client is served from the cache', async () => {
    expect(await alpha('127.0.0.2', depot)).toEqual({ status: 200, bytes: 3_158_073 })
    const askedBefore = proxy.originRequests()
    expect(await alpha('127.0.0.3', depot)).toEqual({ status: 200, bytes: 3_158_073 })
    expect(proxy.originRequests()).toBe(askedBefore)
    const expected = {
      'steam 127.0.0.2': { hitBytes: 0, missBytes: 3_158_073, requests: 1 },
      'steam 127.0.0.3': { hitBytes: 3_158_073, missBytes: 0, requests: 1 },
    }
    await expectTotals(larder, 'plain', expected)
    await expectTotals(larder, 'json', expected)
  })

  test("all clients' traffic equals an independent count, in three formats", async () => {
    const { port } = proxy
    await alpha('127.0.0.4', depot, { range: 'bytes=1048576-2097151' })
    await alpha('127.0.0.4', depot, { range: 'bytes=-100' })
    await alpha('127.0.0.4', depot, { range: 'bytes=2000000-' })
    await alpha('127.0.0.5', '/size/100/depot/441/manifest/1/5/2?token=a%20b')
    await alpha('127.0.0.5', '//size/100//depot/441/chunk/%41')
    await alpha('127.0.0.5', depot, { 'x-forwarded-for': '10.1.2.3, 10.0.0.1' })
    await alpha('127.0.0.5', '/size/0/depot/441/chunk/empty')
    await download({ port, path: depot, method: 'HEAD', from: '127.0.0.5', headers: alphaHeaders })
    await download({ port, path: '/nowhere', from: '127.0.0.6', headers: other })
    await download({ port, path: '/size/5000/x', from: '127.0.0.6', headers: other })
    await download({ port, path: '/size/5000/y', headers: { host: 'x.unknown.test' } })
    await download({ port, path: '/lancache-heartbeat' })
    const slow = { port, path: '/slow/9000000/x', from: '127.0.0.7', headers: other }
    await download({ ...slow, abortAfterBytes: 100_000 })
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        alpha(`127.0.0.${10 + (index % 8)}`, `/size/${1000 + index * 977}/depot/731/${index % 20}`),
      ),
    )
    // nginx logs an aborted download when it notices.
    await eventually(() => log('plain').includes('/slow/9000000/x'), 'the aborted line')
    await expectTotals(larder, 'plain', () => referenceCount(log('plain'), 'plain'))
    await expectTotals(larder, 'json', () => referenceCount(log('json'), 'json'))
    const perService = () => log('detailed', 'http/steam-access.log')
    await expectTotals(larder, 'detailed', () => referenceCount(perService(), 'detailed'))
  })

  test('the API gives the same totals per service and per client', async () => {
    const expected = { services: new Map<string, number>(), clients: new Map<string, number>() }
    const tables = [
      referenceCount(log('plain'), 'plain'),
      referenceCount(log('json'), 'json'),
      referenceCount(log('detailed', 'http/steam-access.log'), 'detailed'),
    ]
    for (const [key, { hitBytes, missBytes }] of tables.flatMap((table) => Object.entries(table))) {
      const [service = '', client = ''] = key.split(' ')
      const bytes = hitBytes + missBytes
      expected.services.set(service, (expected.services.get(service) ?? 0) + bytes)
      expected.clients.set(client, (expected.clients.get(client) ?? 0) + bytes)
    }
    const services =
      await visitor.read<{ service: string; totalBytes: number }[]>('/api/stats/services')
    const clients =
      await visitor.read<{ clientIp: string; totalBytes: number }[]>('/api/stats/clients')
    expect(services.length).toBeGreaterThan(2)
    for (const it of services) expect(it.totalBytes).toBe(expected.services.get(it.service) ?? -1)
    for (const it of clients) expect(it.totalBytes).toBe(expected.clients.get(it.clientIp) ?? -1)
    const served = [...expected.services.values()].reduce((sum, bytes) => sum + bytes, 0)
    const shown = services.reduce((sum, { totalBytes }) => sum + totalBytes, 0)
    expect(shown).toBe(served)
  })

  test('a running download shows a speed within a second', async () => {
    await alpha('127.0.0.9', '/size/2000000/depot/441/chunk/live')
    const startMs = performance.now()
    await eventually(async () => {
      const { clientSpeeds } = await visitor.read<{ clientSpeeds: { clientIp: string }[] }>(
        '/api/Speeds/current',
      )
      return clientSpeeds.some(({ clientIp }) => clientIp === '127.0.0.9')
    }, 'the client is in the speeds')
    expect(performance.now() - startMs).toBeLessThan(1500 * slowness)
  })
})
