import { expect, test } from 'bun:test'
import { freshHistory } from '../../../test/support/postgres.ts'
import { reportApp } from '../../../test/support/report-app.ts'
import { ship, trafficRow } from '../../../test/support/shipped-rows.ts'
import type { TrafficRow } from '../../engines/shipper/contract.ts'

const noon = Date.UTC(2026, 10, 20, 12) / 1000
const range = `startTime=${noon}&endTime=${noon + 3599}`

const row = (change: Partial<TrafficRow>) =>
  trafficRow({ titleKey: '', requests: 0, firstAt: noon, ...change })

const failed = (failedRequests: number, change: Partial<TrafficRow> = {}) =>
  row({ failedRequests, ...change })

const history = await freshHistory()
const served = { hitBytes: 100, requests: 1, downloads: 1 }
const traffic = [
  row({ ...served, failedRequests: 2 }),
  row({ ...served, service: 'xboxlive' }),
  failed(3, { service: 'xbox', client: '10.0.0.2' }),
  failed(4, { bucketAt: noon + 300 }),
  failed(50, { bucketAt: noon + 7200 }),
  failed(600, { bucketAt: noon - 86_400 }),
  failed(7000, { isPrefill: true }),
]
await ship(history.connection(), { traffic })
const app = await reportApp({ history })

test('failed requests are in their own figure and in no other total', async () => {
  const { uniqueClients, period } = await app.read(`/api/stats/dashboard?${range}`)
  expect(uniqueClients).toBe(1)
  expect(period).toMatchObject({ totalServed: 200, downloads: 2, failedRequests: 9 })
  const all = await app.read('/api/stats/dashboard')
  expect(all.period.failedRequests).toBe(659)
  const prefilled = await app.read(`/api/stats/dashboard?${range}&includePrefill=true`)
  expect(prefilled.period.failedRequests).toBe(7009)
})

test('they are known by service, under the name that the answer uses', async () => {
  const shape = (rows: { service: string; totalRequests: number; failedRequests: number }[]) =>
    rows.map(({ service, totalRequests, failedRequests }) => [
      service,
      totalRequests,
      failedRequests,
    ])
  expect(shape(await app.read(`/api/stats/services?${range}`))).toEqual([
    ['steam', 1, 6],
    ['xboxlive', 1, 0],
  ])
  const { services } = await app.read(`/api/dashboard/batch?${range}`)
  expect(shape(services.items)).toEqual([
    ['steam', 1, 6],
    ['xbox', 1, 3],
  ])
})

test('they are known by client, together for a group', async () => {
  const read = async () => {
    const rows: { clientIp: string; failedRequests: number }[] = await app.read(
      `/api/stats/clients?${range}`,
      'user',
    )
    return rows.map(({ clientIp, failedRequests }) => [clientIp, failedRequests])
  }
  expect(await read()).toEqual([['10.0.0.1', 6]])
  const body = { nickname: 'Both', initialIps: ['10.0.0.1', '10.0.0.2'] }
  expect((await app.send('POST', '/api/client-groups', 'user', body)).status).toBe(200)
  expect(await read()).toEqual([['10.0.0.1', 9]])
})
