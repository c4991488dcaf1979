import { expect, test } from 'bun:test'
import { judge, serviceStatus } from './judge.ts'

const domain = (address: string) =>
  judge({
    entry: 'cdn.example.test',
    service: 'steam',
    answer: { kind: 'found', values: [address] },
    latencyMs: 1,
    expectedIps: ['10.0.0.9'],
    heartbeats: new Map(),
  })
const [cached, blocked, elsewhere] = ['10.0.0.9', '0.0.0.0', '192.0.2.1'].map(domain)

test.each([
  ['resolved', [cached]],
  ['resolved', [cached, blocked]],
  ['partial', [cached, elsewhere, blocked]],
  ['unresolved', [elsewhere, blocked]],
  ['unresolved', [blocked, blocked]],
])('a service is %s with %j', (status, domains) => {
  const judged = domains.filter((one) => one !== undefined)
  expect(serviceStatus(judged, false).status).toBe(status as 'resolved')
  expect(serviceStatus(judged, true).status).toBe('disabled')
})
