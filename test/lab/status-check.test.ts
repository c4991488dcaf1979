import { expect, test } from 'bun:test'
import type { StatusCheckResult } from '../../src/system/status-check/model.ts'
import { testApp } from '../support/app.ts'
import { atEnd } from '../support/cleanup.ts'
import { DnsServer } from '../support/dns-server.ts'
import { branchArchive, DomainListSite } from '../support/domain-list-site.ts'
import { eventually } from '../support/eventually.ts'
import { signInAs } from '../support/sign-in.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { alphaHeaders, download, startProxy } from './proxy.ts'

const cacheIp = '10.99.0.5'

test('a real nginx is recognised by its heartbeat, and its log shows what is cached', async () => {
  const proxy = await startProxy(tempFolder('lab'))
  atEnd(() => proxy.stop())
  const client = { port: proxy.port, from: '127.0.0.7', headers: alphaHeaders }
  await download({ ...client, path: '/size/5000/object' })
  const dns = await DnsServer.start()
  atEnd(async () => dns.stop())
  const name = 'lancache.steamcontent.com'
  dns.set('A', name, [{ type: 'A', name, ttl: 60, data: cacheIp }])
  const site = new DomainListSite()
  const manifest = JSON.stringify({ steam: ['steam.txt'] })
  site.archive = await branchArchive({ 'cache_domains.json': manifest, 'steam.txt': name })
  const app = await testApp({
    environment: {
      DOCKER_HOST: 'unix:///nonexistent/docker.sock',
      LanCache__LogPath: proxy.plainLogs,
      LanCache__CachePath: proxy.cachePath,
      Prefill__LancacheDnsIp: dns.address,
      StatusCheck__DomainsUrl: site.url,
    },
    connections: {
      reach: () => ({ host: '127.0.0.1', port: proxy.port }),
      ask: () =>
        Promise.resolve({ outcome: 'connectFailure', statusCode: null, redirectScheme: null }),
    },
  })
  const user = await signInAs(app, 'user')
  expect((await user.post('/api/status-check/run')).status).toBe(202)
  let result: StatusCheckResult | null = null
  await eventually(async () => {
    const state = await (await user.get('/api/status-check')).json()
    result = (state as { lastResult: StatusCheckResult | null }).lastResult
    return result !== null
  }, 'the check ends')
  expect(result).toMatchObject({
    expectedCacheIps: [cacheIp],
    expectedIpSource: 'dns',
    heartbeat: { reachable: true, servedBy: 'lab' },
    services: [{ service: 'steam', status: 'resolved' }],
    cacheNodes: [{ servedBy: 'lab', ips: [cacheIp] }],
    contentReport: {
      availability: 'available',
      paths: [
        {
          service: 'steam',
          pathDisplay: '/size/5000/object',
          cacheEvidence: { outcome: 'miss' },
          protocolReason: 'dohUnavailable',
        },
      ],
    },
  })
  // The probes of the check are no downloads.
  const { hosts } = await app.logScan.hosts({
    logPath: proxy.plainLogs,
    scheme: 'monolithic',
    sliceBytes: 0,
    timeZone: 'UTC',
    fromS: 0,
    toS: Number.MAX_SAFE_INTEGER,
    tag: 'lancache',
    path: '/',
  })
  expect(hosts).toEqual([])
})
