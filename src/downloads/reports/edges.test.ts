import { describe, expect, test } from 'bun:test'
import { freshHistory } from '../../../test/support/postgres.ts'
import { reportApp } from '../../../test/support/report-app.ts'
import { downloadRow, ship, trafficRow } from '../../../test/support/shipped-rows.ts'

/** The start of a bucket. */
const noon = Date.UTC(2026, 10, 20, 12) / 1000

interface Flow {
  client: string
  /** Seconds after noon, inside one bucket. */
  from: number
  to: number
  bytes: number
}

const flows: Flow[] = [
  { client: '10.0.0.1', from: 10, to: 60, bytes: 1 },
  { client: '10.0.0.2', from: 100, to: 110, bytes: 10 },
  { client: '10.0.0.3', from: 250, to: 299, bytes: 100 },
  { client: '10.0.0.4', from: 300, to: 500, bytes: 1000 },
]

const download = ({ client, from, to, bytes: hitBytes }: Flow, index: number) =>
  downloadRow({ id: index + 1, client, startedAt: noon + from, endedAt: noon + to, hitBytes })

const traffic = ({ client, from, to, bytes: hitBytes }: Flow) =>
  trafficRow({ client, firstAt: noon + from, lastAt: noon + to, hitBytes, downloads: 1 })

const history = await freshHistory()
const rows = { downloads: flows.map(download), traffic: flows.map(traffic) }
await ship(history.connection(), rows)
const app = await reportApp({ history })

/** Bytes, downloads that began and clients of each range, in seconds after noon. */
const ranges: [string, [number, number], [number, number, number]][] = [
  ['a pause inside a bucket is empty', [65, 85], [0, 0, 0]],
  ['the second after the last byte is outside', [61, 99], [0, 0, 0]],
  ['the second of the last byte is inside', [60, 60], [1, 0, 1]],
  ['the second of the first byte is inside', [90, 100], [10, 1, 1]],
  ['a download that goes on gives its bytes, but did not begin', [105, 105], [10, 0, 1]],
  ['what is in the bucket outside of the range does not count', [100, 255], [110, 2, 2]],
  ['edges in two buckets', [105, 299], [110, 1, 2]],
  ['edges and whole buckets', [100, 899], [1110, 3, 3]],
  ['whole buckets', [0, 599], [1111, 4, 4]],
]

describe('the edges of a range', () => {
  const query = (from: number, to: number) => `startTime=${noon + from}&endTime=${noon + to}`

  test.each(ranges)('%s', async (_name, [from, to], [served, downloads, clients]) => {
    const answer = await app.read(`/api/stats/dashboard?${query(from, to)}`)
    expect(answer.period).toMatchObject({ totalServed: served, downloads })
    expect(answer.uniqueClients).toBe(clients)
    const services = await app.read(`/api/stats/services?${query(from, to)}`)
    expect(services).toHaveLength(clients > 0 ? 1 : 0)
    const batch = await app.read(`/api/dashboard/batch?${query(from, to)}`)
    expect(batch.dashboard.period).toEqual(answer.period)
    expect(batch.clients.total).toBe(clients)
    const { totalBytesServed, totalDownloads } = batch.hourlyActivity
    expect([totalBytesServed, totalDownloads]).toEqual([served, downloads])
    const game = await app.read(`/api/ext/games/steam/730/traffic?${query(from, to)}`)
    expect(game.totals).toMatchObject({ servedBytes: served, downloads })
  })

  test('the answer says what its bytes are of', async () => {
    const at = (seconds: number) => new Date((noon + seconds) * 1000).toISOString()
    const effective = async (search: string) => {
      const { period } = await app.read(`/api/stats/dashboard?${search}`)
      return [period.effectiveStartUtc, period.effectiveEndUtc]
    }
    expect(await effective(query(65, 85))).toEqual([at(0), at(300)])
    expect(await effective(query(299, 300))).toEqual([at(0), at(600)])
    expect(await effective(`startTime=${noon + 65}`)).toEqual([at(0), null])
    expect(await effective('')).toEqual([null, null])
  })
})
