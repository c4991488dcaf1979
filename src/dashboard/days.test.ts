import { expect, test } from 'bun:test'
import { freshHistory } from '../../test/support/postgres.ts'
import { reportApp } from '../../test/support/report-app.ts'
import { downloadRow, ship, trafficRow } from '../../test/support/shipped-rows.ts'
import type { TrafficRow } from '../engines/shipper/contract.ts'

const five = 300
const zones = ['Europe/Berlin', 'America/Santiago', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC']
/** Both changes of the clock of each zone are inside. */
const firstAt = Date.UTC(2026, 1, 20) / 1000
const lastAt = Date.UTC(2026, 3, 20) / 1000

interface Flow {
  at: number
  client: string
  service: string
  hitBytes: number
  missBytes: number
}

/** Downloads of one five minutes each, in no order and of all sizes. */
function inventedFlows(): Flow[] {
  let state = 20_260_329
  const next = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
  return Array.from({ length: 1500 }, () => ({
    at: firstAt + next((lastAt - firstAt) / five) * five + next(200),
    client: `10.0.0.${1 + next(6)}`,
    service: ['steam', 'epic', 'riot'][next(3)] ?? '',
    hitBytes: next(1_000_000_000),
    missBytes: next(3) === 0 ? next(300_000_000) : 0,
  }))
}

const flows = inventedFlows()

const history = await freshHistory()
const downloads = flows.map(({ at, ...flow }, index) =>
  downloadRow({ ...flow, id: index + 1, startedAt: at, endedAt: at + 60 }),
)
const rows = new Map<string, TrafficRow>()
for (const flow of flows) {
  const bucketAt = flow.at - (flow.at % five)
  const key = `${bucketAt} ${flow.client} ${flow.service}`
  const held = rows.get(key)
  const row = trafficRow({
    client: flow.client,
    service: flow.service,
    bucketAt,
    hitBytes: (held?.hitBytes ?? 0) + flow.hitBytes,
    missBytes: (held?.missBytes ?? 0) + flow.missBytes,
    requests: (held?.requests ?? 0) + 1,
    downloads: (held?.downloads ?? 0) + 1,
    firstAt: Math.min(held?.firstAt ?? flow.at, flow.at),
    lastAt: Math.max(held?.lastAt ?? 0, flow.at + 60),
  })
  rows.set(key, row)
}
await ship(history.connection(), { downloads, traffic: [...rows.values()] })
const app = await reportApp({ history })

const sum = (list: readonly number[]) => list.reduce((total, one) => total + one, 0)

test.each(zones)('days of %s hold what was served on their dates', async (timeZone) => {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
  const dateOf = (at: number) => format.format(at * 1000)
  /** First and last second of each date, by asking for the date of every five minutes. */
  const days = new Map<string, [number, number]>()
  for (let at = firstAt - 86_400; at < lastAt + 86_400; at += five) {
    const date = dateOf(at)
    days.set(date, [days.get(date)?.[0] ?? at, at + five - 1])
  }
  // The first and the last are not whole. Of the others the odd ones, and those around changes.
  const lengths = new Set([...days.values()].map(([from, to]) => to - from))
  expect(lengths.size).toBeGreaterThan(timeZone === 'UTC' || timeZone === 'Asia/Kathmandu' ? 0 : 1)
  const chosen = [...days].filter(
    ([, [from, to]], index) => index % 5 === 0 || to - from !== 86_400 - 1,
  )
  for (const [date, [from, to]] of chosen) {
    const served = flows.filter(({ at }) => dateOf(at) === date)
    const hits = sum(served.map(({ hitBytes }) => hitBytes))
    const misses = sum(served.map(({ missBytes }) => missBytes))
    const batch = await app.read(`/api/dashboard/batch?startTime=${from}&endTime=${to}`)
    const { period, serviceBreakdown } = batch.dashboard
    expect({ date, ...period }).toMatchObject({
      date,
      bandwidthSaved: hits,
      addedToCache: misses,
      totalServed: hits + misses,
      downloads: served.length,
    })
    // The figures of one answer agree with each other.
    const bytes = (list: readonly { totalBytes: number }[]) =>
      sum(list.map(({ totalBytes }) => totalBytes))
    expect([
      sum(serviceBreakdown.map((one: { bytes: number }) => one.bytes)),
      bytes(batch.services.items),
      bytes(batch.clients.items),
      sum(batch.sparklines.totalServed.data),
      batch.hourlyActivity.totalBytesServed,
    ]).toEqual(Array(5).fill(hits + misses))
    expect(sum(batch.sparklines.bandwidthSaved.data)).toBe(hits)
    expect(batch.clients.total).toBe(new Set(served.map(({ client }) => client)).size)
  }
})
