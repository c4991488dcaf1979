import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { atEnd } from '../../../test/support/cleanup.ts'
import { DnsServer } from '../../../test/support/dns-server.ts'
import { branchArchive, DomainListSite } from '../../../test/support/domain-list-site.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { logLine } from '../../../test/support/log-lines.ts'
import { signInAs } from '../../../test/support/sign-in.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { testServer } from '../../../test/support/test-server.ts'
import { dnsState } from '../status/service.ts'
import type { EdgeAnswer, StatusCheckResult } from './model.ts'

setDefaultTimeout(60_000)

const cacheIp = '10.99.0.5'
const strangeIp = '10.99.0.6'
const publicIp = '8.8.4.4'

/** What the platforms' servers answer; by protocol. */
let edges: Record<'http' | 'https', EdgeAnswer>

/** A cache that answers with its heartbeat, and a server that does not. */
function servers() {
  const cache = testServer((request) =>
    new URL(request.url).pathname === '/lancache-heartbeat'
      ? new Response(null, { status: 204, headers: { 'X-LanCache-Processed-By': 'cache-1' } })
      : new Response('', { status: 404 }),
  )
  return { cache: cache.port, other: testServer(() => new Response('hello')).port }
}

/** A resolver over HTTPS, in the JSON form. */
const publicDns = () =>
  testServer((request) => {
    const type = Number(new URL(request.url).searchParams.get('type'))
    const data = type === 1 ? publicIp : '2001:4860:4860::8844'
    return Response.json({ Status: 0, Answer: [{ type, data }] })
  }).url

const files = {
  'cache_domains.json': JSON.stringify({
    cache_domains: [
      { name: 'steam', description: 'Steam', domain_files: ['steam.txt'] },
      { name: 'wsus', description: 'Updates', domain_files: ['wsus.txt', '../secret.txt'] },
      { name: 'riot', description: 'Riot', domain_files: ['riot.txt'] },
      { name: 'xboxlive', description: 'Xbox', domain_files: ['xbox.txt'] },
    ],
  }),
  'steam.txt': '# names\nlancache.steamcontent.com\n',
  'wsus.txt': '*.windowsupdate.com # all\ndl.example.com\nblocked.example.com\n',
  'riot.txt': 'riot.example.com\nlate.example.com\nempty.example.com\n',
  'xbox.txt': 'strange.example.com',
}

const dns = await DnsServer.start()
atEnd(async () => dns.stop())
const a = (name: string, ...values: string[]) =>
  dns.set(
    'A',
    name,
    values.map((data) => ({ type: 'A', name, ttl: 60, data })),
  )
a('lancache.steamcontent.com', cacheIp)
a('status-check.windowsupdate.com', cacheIp)
a('dl.example.com', publicIp)
a('blocked.example.com', '0.0.0.0')
a('strange.example.com', strangeIp)
a('empty.example.com')
dns.set('A', 'late.example.com', 'silent')
const site = new DomainListSite()
site.archive = await branchArchive(files)
const envFile = join(tempFolder('stack'), '.env')
writeFileSync(envFile, 'DISABLE_RIOT=true\nLANCACHE_IP="10.99.0.5"\nSECRET=x\n')
const ports = servers()
const publicDnsUrl = publicDns()
const app = await testApp({
  environment: {
    DOCKER_HOST: 'unix:///nonexistent/docker.sock',
    LanCache__EnvFilePath: envFile,
    Prefill__LancacheDnsIp: dns.address,
    StatusCheck__DomainsUrl: site.url,
    StatusCheck__CloudflareDnsUrl: publicDnsUrl,
    StatusCheck__GoogleDnsUrl: publicDnsUrl,
  },
  connections: {
    reach: (ip) => ({ host: '127.0.0.1', port: ip === cacheIp ? ports.cache : ports.other }),
    ask: (protocol) => Promise.resolve(edges[protocol]),
  },
})
const user = await signInAs(app, 'user')

beforeEach(() => {
  edges = {
    http: { outcome: 'content', statusCode: 206, redirectScheme: null },
    https: { outcome: 'content', statusCode: 206, redirectScheme: null },
  }
})

const base = '/api/status-check'
const read = async <T>(path: string) => (await (await user.get(`${base}${path}`)).json()) as T

interface State {
  lastResult: StatusCheckResult | null
  isRunning: boolean
  operationId: string | null
  domainsSource: Record<string, unknown>
}

async function sweep(body?: unknown): Promise<StatusCheckResult> {
  const started = await user.post(`${base}/run`, body)
  expect(started.status).toBe(202)
  const { operationId } = (await started.json()) as { operationId: string }
  await eventually(() => app.operations.find(operationId)?.status === 'completed', 'the check ends')
  const { lastResult } = await read<State>('')
  if (lastResult === null) throw new Error('there is no result')
  const { resolvedDomains, totalDomains } = lastResult.summary
  const context = { resolvedDomains, totalDomains }
  expect(app.operations.find(operationId)?.context).toEqual(context)
  return lastResult
}

const statusesOf = (result: StatusCheckResult) =>
  Object.fromEntries(
    result.services.flatMap(({ domains }) =>
      domains.map(({ originalEntry, status, error }) => [originalEntry, error ?? status]),
    ),
  )

test('before any check, the list that Larder brings along is shown', async () => {
  const state = await read<State>('')
  expect(state).toMatchObject({ lastResult: null, isRunning: false, operationId: null })
  expect(state.domainsSource).toMatchObject({
    repoUrl: 'https://github.com/uklans/cache-domains',
    branch: 'master',
    fromCache: true,
    envSource: 'envFile',
    envFilePath: envFile,
    fetchedAtUtc: null,
    error: null,
  })
  const { services } = await read<{ services: { name: string; domains: string[] }[] }>('/domains')
  expect(services.find(({ name }) => name === 'steam')?.domains).toEqual([
    'lancache.steamcontent.com',
  ])
  expect(services.length).toBeGreaterThan(20)
  expect(site.paths).toEqual([])
})

describe('a check', () => {
  test('judges every domain by the resolver, the heartbeat and the expected addresses', async () => {
    const result = await sweep()
    expect(site.paths).toEqual(['/uklans/cache-domains/tar.gz/refs/heads/master'])
    expect(statusesOf(result)).toEqual({
      'lancache.steamcontent.com': 'resolved',
      '*.windowsupdate.com': 'resolved',
      'dl.example.com': 'mismatched',
      'blocked.example.com': 'blocked',
      'riot.example.com': 'NXDOMAIN',
      'late.example.com': 'DNS query timed out',
      'empty.example.com': 'No A records returned',
      'strange.example.com': 'unverified',
    })
    const services = result.services.map(({ service, status }) => [service, status])
    expect(services).toEqual([
      ['steam', 'resolved'],
      ['wsus', 'partial'],
      ['riot', 'disabled'],
      ['xboxlive', 'unverified'],
    ])
    expect(result).toMatchObject({
      resolverSource: 'configured',
      dnsServer: dns.address,
      expectedCacheIps: [cacheIp],
      expectedIpSource: 'dns',
      heartbeat: { reachable: true, servedBy: 'cache-1', cacheIp, error: null },
      cacheNodes: [{ servedBy: 'cache-1', ips: [cacheIp] }],
      summary: { totalServices: 4, disabledServices: 1, totalDomains: 5, resolvedDomains: 2 },
      contentReport: { availability: 'logMissing', paths: [] },
    })
    const unknown = result.services[2]?.domains[0]
    expect(unknown).toMatchObject({ servedBy: null, error: 'NXDOMAIN', edgeProbe: null })
    expect(JSON.stringify(result)).not.toContain('SECRET')
  })

  test('judges by the addresses that the caller expects', async () => {
    const expectedCacheIps = [publicIp, '::ffff:192.0.2.7']
    const result = await sweep({ expectedCacheIps })
    expect(result).toMatchObject({
      expectedCacheIps: [publicIp, '192.0.2.7'],
      expectedIpSource: 'request',
    })
    expect(statusesOf(result)).toMatchObject({ 'dl.example.com': 'resolved' })
    for (const wrong of ['cache.lan', '169.254.169.254', '64:ff9b::a9fe:a9fe']) {
      const answer = await user.post(`${base}/run`, { expectedCacheIps: [wrong] })
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(wrong)])
    }
  })

  test('asks the caches that domains lead to where the expected one is this machine', async () => {
    const result = await sweep({ expectedCacheIps: ['127.0.0.1'] })
    expect(result).toMatchObject({
      expectedCacheIps: ['127.0.0.1'],
      heartbeat: { reachable: true, servedBy: 'cache-1', cacheIp, error: null },
    })
  })

  test('blames DNS where no cache could be asked, and the cache where it was silent', async () => {
    const result = await sweep()
    const stateWith = (ip: string | null) => {
      const heartbeat = { reachable: false, servedBy: null, cacheIp: ip, error: 'silent' }
      app.settings.set('statusCheck.lastResult', { ...result, heartbeat })
      return dnsState(app)
    }
    expect(stateWith(null)).toMatchObject({ cacheAnswers: true, leadsToCache: false })
    expect(stateWith(cacheIp)).toMatchObject({ cacheAnswers: false, leadsToCache: false })
  })

  test('fetches the list once a day, and answers 409 while it runs', async () => {
    dns.isHolding = true
    const started = await user.post(`${base}/run`)
    expect(started.status).toBe(202)
    const again = await user.post(`${base}/run`)
    expect(again.status).toBe(409)
    expect(await again.json()).toMatchObject({ stageKey: 'errors.statusCheck.running' })
    const state = await read<State>('')
    expect(state.isRunning).toBe(true)
    expect(state.operationId).not.toBeNull()
    dns.release()
    await eventually(async () => !(await read<State>('')).isRunning, 'the check ends')
    expect(site.paths).toHaveLength(1)
  })

  test('content that only HTTPS delivers is reported, with the log line that shows it', async () => {
    const logs = join(app.root, 'logs')
    mkdirSync(logs, { recursive: true })
    writeFileSync(join(logs, 'access.log'), logLine())
    edges.http = { outcome: 'redirectToHttps', statusCode: 301, redirectScheme: 'https' }
    const { contentReport } = await sweep()
    expect(contentReport).toMatchObject({
      availability: 'available',
      paths: [
        {
          cacheEvidence: { outcome: 'hit' },
          protocolStatus: 'httpsOnlyCandidate',
          protocolReason: 'httpsOnlyRedirect',
          consensusEdges: 2,
          totalPublicEdges: 2,
        },
      ],
    })
  })
})

describe('one domain', () => {
  const check = async (domain: unknown) => {
    const response = await user.post(`${base}/test-domain`, { domain })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test('with its heartbeat and the servers of the platform', async () => {
    const { body } = await check('LANCACHE.steamcontent.com')
    expect(body).toMatchObject({
      result: {
        status: 'resolved',
        service: 'steam',
        resolvedIps: [cacheIp],
        edgeProbe: { protocolStatus: 'bothUsable' },
      },
      heartbeat: { reachable: true, servedBy: 'cache-1' },
    })
  })

  test('a wildcard, and a public address without a heartbeat', async () => {
    expect((await check('*.windowsupdate.com')).body).toMatchObject({
      result: { status: 'resolved', edgeProbe: { protocolReason: 'wildcardEntry' } },
    })
    expect((await check('dl.example.com')).body).toMatchObject({
      result: { status: 'mismatched' },
      heartbeat: null,
    })
  })

  test.each([undefined, '', 'no name', 'a', 'x'.repeat(260), 'http://steam', '-a.com'])(
    '%p is 400',
    async (domain) => expect((await check(domain)).status).toBe(400),
  )
})

describe('the list', () => {
  const refresh = async () => {
    const response = await user.post(`${base}/refresh-domains`)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test('is fetched on request', async () => {
    expect((await refresh()).body).toMatchObject({
      serviceCount: 4,
      domainCount: 8,
      domainsSource: { fromCache: false, noFetch: false },
    })
  })

  test.each([
    ['a server without it', () => (site.status = 404)],
    ['no archive', () => (site.archive = new TextEncoder().encode('hello'))],
    [
      'a list without names',
      async () => (site.archive = await branchArchive({ 'a.txt': 'x.com' })),
    ],
  ])('%s leaves the last one, and says why', async (_name, break_) => {
    await break_()
    const { status, body } = await refresh()
    site.status = 200
    site.archive = await branchArchive(files)
    expect(status).toBe(200)
    expect(body).toMatchObject({ domainCount: 8 })
    expect((body['domainsSource'] as { error?: string }).error).toBeString()
  })
})

describe('the resolver mode', () => {
  test('is stored', async () => {
    const response = await user.post(`${base}/resolver-mode`, { mode: 'host' })
    expect(await response.json()).toEqual({ resolverMode: 'host' })
    expect(await read<object>('')).toMatchObject({ resolverMode: 'host' })
  })

  test.each([undefined, '', 'all', 7])('%p is 400', async (mode) => {
    expect((await user.post(`${base}/resolver-mode`, { mode })).status).toBe(400)
  })
})
