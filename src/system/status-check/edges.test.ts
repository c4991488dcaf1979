import { expect, test } from 'bun:test'
import { judgeEdges, probeEdges } from './edges.ts'
import type { Edge, EdgeOutcome } from './model.ts'

const noStatus = { statusCode: null, redirectScheme: null }
const edge = (http: EdgeOutcome, https: EdgeOutcome): Edge => ({
  address: '8.8.4.4',
  addressFamily: 'ipv4',
  http: { outcome: http, ...noStatus },
  https: { outcome: https, ...noStatus },
})
const judged = (...edges: Edge[]) => {
  const { protocolStatus, protocolReason } = judgeEdges(edges, edges.length)
  return [protocolStatus, protocolReason]
}

test('content over HTTP is usable by one server already', () => {
  expect(judged(edge('content', 'content'))).toEqual(['bothUsable', 'bothUsable'])
  expect(judged(edge('content', 'tlsCertificateFailure'))).toEqual(['httpUsable', 'httpUsable'])
})

test.each([
  ['redirectToHttps', 'httpsOnlyRedirect'],
  ['denied', 'httpsOnlyDenied'],
  ['connectFailure', 'httpsOnlyTransport'],
  ['timeout', 'httpsOnlyTransport'],
] as const)('%s by two servers means %s; by one it is no proof', (http, reason) => {
  const one = edge(http, 'content')
  expect(judged(one, one)).toEqual(['httpsOnlyCandidate', reason])
  expect(judged(one)).toEqual(['inconclusive', 'insufficientEdges'])
})

test('servers that disagree, and those that say nothing definite', () => {
  expect(judged(edge('content', 'content'), edge('denied', 'content'))).toEqual([
    'inconclusive',
    'edgeDisagreement',
  ])
  expect(judged(edge('notFoundOrStale', 'notFoundOrStale'))).toEqual([
    'inconclusive',
    'nonDefinitiveEdges',
  ])
})

test('at most three servers are asked, one of each family among them', async () => {
  const asked = new Set<string>()
  const addresses = ['8.8.4.4', '8.8.8.8', '1.1.1.1', '2001:4860:4860::8844']
  const probe = (addressesOf: () => Promise<string[] | null>) =>
    probeEdges(
      {
        addressesOf,
        ask: (_protocol, address) => {
          asked.add(address)
          return Promise.resolve({ outcome: 'content', ...noStatus })
        },
      },
      { host: 'cdn.example.com', path: '/' },
    )
  expect(await probe(() => Promise.resolve(addresses))).toMatchObject({ totalPublicEdges: 4 })
  expect([...asked]).toEqual(['8.8.4.4', '2001:4860:4860::8844', '8.8.8.8'])
  expect((await probe(() => Promise.resolve([]))).protocolReason).toBe('noPublicEdges')
  expect((await probe(() => Promise.resolve(null))).protocolReason).toBe('dohUnavailable')
  const many = Array.from({ length: 9 }, (_, index) => `8.8.4.${index}`)
  expect((await probe(() => Promise.resolve(many))).protocolReason).toBe('tooManyEdges')
})
