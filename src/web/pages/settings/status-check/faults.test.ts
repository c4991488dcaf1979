import { expect, test } from 'bun:test'
import { byCause, faultsOf } from './faults.ts'
import type { Domain, Result, Service } from './queries.ts'

const domain = (
  originalEntry: string,
  status: Domain['status'],
  error: string | null = null,
): Domain => ({
  domain: originalEntry,
  originalEntry,
  service: 'steam',
  status,
  resolvedIps: [],
  expectedIps: [],
  heartbeatVerified: false,
  servedBy: null,
  error,
  latencyMs: null,
  edgeProbe: null,
})

function idsOf(
  domains: Domain[],
  {
    isReachable = true,
    status = 'partial',
  }: { isReachable?: boolean; status?: Service['status'] } = {},
) {
  const counts = { resolvedCount: 0, totalCount: domains.length }
  const service = { service: 'steam', description: '', status, ...counts, domains }
  const contentReport: Result['contentReport'] = {
    availability: 'noSamples',
    checkedAtUtc: '2026-11-01T00:00:00Z',
    scanTruncated: false,
    scannedBytes: 0,
    paths: [],
  }
  const heartbeat = { reachable: isReachable, servedBy: null, cacheIp: null, error: null }
  const result = { services: [service], heartbeat, contentReport }
  return faultsOf(result).map(({ id, names }) => `${id} ${names.join(',')}`.trim())
}

test('a check without problems has no faults', () => {
  expect(idsOf([domain('a', 'resolved')])).toEqual([])
})

test('a silent resolver is one fault, not one per domain', () => {
  const late = 'DNS query timed out'
  expect(idsOf([domain('a', 'unresolved', late), domain('b', 'unresolved', late)])).toEqual([
    'dnsSilent',
  ])
})

test('a resolver that leads nowhere differs from single wrong domains', () => {
  expect(idsOf([domain('a', 'mismatched'), domain('b', 'mismatched')])).toEqual(['wrongDns a,b'])
  expect(idsOf([domain('a', 'mismatched'), domain('b', 'resolved')])).toEqual(['mismatched a'])
})

test('each kind of verdict has its fault; disabled services have none', () => {
  const all = [
    domain('a', 'resolved'),
    domain('b', 'unresolved', 'NXDOMAIN'),
    domain('c', 'unverified'),
    domain('d', 'blocked'),
  ]
  expect(idsOf(all)).toEqual(['unresolved b', 'unverified c', 'blocked d'])
  expect(idsOf(all, { status: 'disabled' })).toEqual([])
})

test('domains that lead to a cache that does not answer have that one cause', () => {
  const domains = [domain('a', 'unverified'), domain('b', 'unverified')]
  expect(idsOf(domains, { isReachable: false })).toEqual(['noCache ,a,b'])
  const late = domain('c', 'unresolved', 'DNS query timed out')
  expect(idsOf([late], { isReachable: false })).toEqual(['dnsSilent'])
})

test('services that fail for one reason are one entry, all others one each', () => {
  const late = 'DNS query timed out'
  const service = (name: string, status: Service['status'], domains: Domain[]): Service => ({
    service: name,
    description: '',
    status,
    resolvedCount: 0,
    totalCount: domains.length,
    domains,
  })
  const silent = (name: string) =>
    service(name, 'unresolved', [domain(`${name}.a`, 'unresolved', late)])
  const services = [
    ...Array.from({ length: 26 }, (_, index) => silent(`s${index}`)),
    service('fine', 'resolved', [domain('f', 'resolved')]),
    service('off', 'disabled', [domain('o', 'unresolved', late)]),
    service('mixed', 'partial', [domain('m', 'resolved'), domain('n', 'unresolved', late)]),
    service('other', 'partial', [domain('r', 'resolved'), domain('l', 'unresolved', late)]),
    service('gone', 'unresolved', [domain('g', 'unresolved', 'NXDOMAIN')]),
    service('odd', 'unresolved', [
      domain('x', 'unresolved', 'NXDOMAIN'),
      domain('y', 'mismatched'),
    ]),
  ]
  const groups = byCause(services).map((group) => group.map((one) => one.service))
  expect(groups.map((group) => group.length)).toEqual([26, 1, 1, 2, 1, 1])
  expect(groups.flat().toSorted()).toEqual(services.map((one) => one.service).toSorted())
})
