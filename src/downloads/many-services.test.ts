import { expect, test } from 'bun:test'
import { freshHistory } from '../../test/support/postgres.ts'
import { reportApp } from '../../test/support/report-app.ts'
import { ship, trafficRow } from '../../test/support/shipped-rows.ts'
import type { DashboardBatch } from '../dashboard/model.ts'
import { servicesMax } from './reports/traffic.ts'
import type { ServiceStats } from './stats/model.ts'

const forged = 25_000
/** Size of a dashboard answer, with names of a hundred characters. */
const answerMax = 200_000

const firstAt = Date.UTC(2026, 10, 20, 12) / 1000
const row = (service: string, hitBytes: number) =>
  trafficRow({ service, titleKey: '', hitBytes, missBytes: 1, downloads: 1, firstAt })

const history = await freshHistory()
const names = Array.from({ length: forged }, (_, index) =>
  row(`${'x'.repeat(80)}${index}.example.test`, 1),
)
await ship(history.connection(), { traffic: [...names, row('steam', 1000)] })
const app = await reportApp({ history })

test('twenty-five thousand services become the largest ones and a remainder', async () => {
  const services: ServiceStats[] = await app.read('/api/stats/services')
  expect(services).toHaveLength(servicesMax + 1)
  expect(services.map(({ service }) => service)).toContainValues(['steam', 'other'])
  const sum = (pick: (one: ServiceStats) => number) =>
    services.reduce((total, one) => total + pick(one), 0)
  expect(sum(({ totalCacheHitBytes }) => totalCacheHitBytes)).toBe(forged + 1000)
  expect(sum(({ totalRequests }) => totalRequests)).toBe(forged + 1)
})

test('the dashboard stays small, its sums complete, and its top service a single one', async () => {
  const batch: DashboardBatch = await app.read('/api/dashboard/batch')
  expect(batch.failedSections).toEqual([])
  expect(JSON.stringify(batch).length).toBeLessThan(answerMax)
  expect(batch.dashboard.period.bandwidthSaved).toBe(forged + 1000)
  expect(batch.dashboard.serviceBreakdown).toHaveLength(servicesMax + 1)
  expect(batch.dashboard.topService).not.toBe('other')
})
