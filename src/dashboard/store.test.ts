import { expect, test } from 'bun:test'
import { freshDatabase, openTestClient } from '../../test/support/postgres.ts'
import { ship, trafficRow } from '../../test/support/shipped-rows.ts'
import { changedBlocks, type Scope } from '../downloads/contract.ts'
import type { TrafficRow } from '../engines/shipper/contract.ts'
import { bucketSums, hourOfDaySums, peakMinutesOf } from './store.ts'

const hour = 3600
const day = 24 * hour
const first = Date.UTC(2023, 7, 3, 5) / 1000
const last = first + 900 * day

let state = 20_261_126
const next = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below

/** Traffic in one second of a bucket each, on days that are far apart and in hours that clients share. */
function inventedRows(): TrafficRow[] {
  const days = Array.from({ length: 220 }, () => first + next(900) * day)
  const rows = new Map<string, TrafficRow>()
  for (let count = 0; count < 4000; count++) {
    const bucketAt = (days[next(days.length)] ?? first) + next(24) * hour + next(12) * 300
    const at = bucketAt + next(300)
    const row = trafficRow({
      bucketAt,
      service: ['steam', 'riot'][next(2)] ?? '',
      client: `10.0.0.${1 + next(4)}`,
      isPrefill: next(5) === 0,
      hitBytes: next(4) * 1_000_000,
      missBytes: next(3) * 1_000_000,
      downloads: next(2),
      firstAt: at,
    })
    rows.set(JSON.stringify([bucketAt, row.service, row.client, row.isPrefill]), row)
  }
  return [...rows.values()]
}

const rows = inventedRows()

const target = await freshDatabase()
const sql = openTestClient(target)
for (const from of [0, 1500, 3000]) {
  await ship(target, { traffic: rows.slice(from, from + 1500) })
}

/** A random scope; its ends are at odd seconds, at borders of days and blocks, or open. */
function randomScope(): Scope {
  const bound = () => {
    const at = first - 10 * day + next(920) * day + next(day)
    return [null, at, at - (at % day), at - (at % (8 * day)), at - (at % hour)][next(5)] ?? null
  }
  const [one, other] = [bound(), bound()]
  const isOrdered = one === null || other === null || one <= other
  return {
    period: isOrdered ? { start: one, end: other } : { start: other, end: one },
    eventId: null,
    includePrefill: next(3) === 0,
    without: [[], [], ['10.0.0.1'], ['10.0.0.2', '10.0.0.3']][next(4)] ?? [],
  }
}

const isIn = ({ period: { start, end }, includePrefill, without }: Scope, row: TrafficRow) =>
  (start === null || row.lastAt >= start) &&
  (end === null || row.firstAt < end + 1) &&
  (includePrefill || !row.isPrefill) &&
  !without.includes(row.client)

interface Bytes {
  hitBytes: number
  missBytes: number
}

const sizeOf = ({ hitBytes, missBytes }: Bytes) => hitBytes + missBytes
const sumOf = (list: readonly Bytes[]) => ({
  hitBytes: list.reduce((all, { hitBytes }) => all + hitBytes, 0),
  missBytes: list.reduce((all, { missBytes }) => all + missBytes, 0),
})

test.each([180, 360, 1440, 4320, 10_080])(
  'buckets of %i minutes and their busiest windows are those of the rows',
  async (minutes) => {
    for (let round = 0; round < 25; round++) {
      const scope = randomScope()
      const window = peakMinutesOf(minutes, scope) * 60
      const startOf = (at: number, width: number) => Math.floor(at / width) * width
      const windows = Map.groupBy(
        rows.filter((row) => isIn(scope, row)),
        ({ bucketAt }) => startOf(bucketAt, window),
      )
      const buckets = Map.groupBy(
        [...windows].sort(([a], [b]) => a - b).map(([at, list]) => ({ at, ...sumOf(list) })),
        ({ at }) => startOf(at, minutes * 60),
      )
      const expected = [...buckets].map(([at, list]) => {
        const most = Math.max(...list.map(sizeOf))
        const busiest = list.find((one) => sizeOf(one) === most)
        return {
          at,
          ...sumOf(list),
          peakHitBytes: busiest?.hitBytes,
          peakMissBytes: busiest?.missBytes,
        }
      })
      const found = [...(await bucketSums(sql, scope, minutes))]
      expect({ scope, found }).toEqual({ scope, found: expected as typeof found })
    }
  },
)

test.each(['UTC', 'Europe/Berlin', 'America/Santiago', 'Asia/Kolkata'])(
  'hours of the day in %s are those of the rows',
  async (timeZone) => {
    const format = new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' })
    const isWholeHours = timeZone !== 'Asia/Kolkata'
    const zone = { timeZone, isWholeHours, changedBlocks: changedBlocks(timeZone, last) }
    for (let round = 0; round < 30; round++) {
      const scope = randomScope()
      const hours = Map.groupBy(
        rows.filter((row) => isIn(scope, row)),
        ({ bucketAt }) => Number(format.format(bucketAt * 1000)),
      )
      const found = await hourOfDaySums(sql, scope, zone)
      const bytes = found
        .filter((one) => sizeOf(one) > 0)
        .map(({ hour: at, ...one }) => [at, one.hitBytes, one.missBytes])
      const expected = [...hours].flatMap(([at, list]) => {
        const { hitBytes, missBytes } = sumOf(list)
        return hitBytes + missBytes === 0 ? [] : [[at, hitBytes, missBytes]]
      })
      const order = (list: number[][]) => list.sort(([a = 0], [b = 0]) => a - b)
      expect({ scope, hours: order(bytes) }).toEqual({ scope, hours: order(expected) })
    }
  },
)

test('blocks with a change of the clock are those of its dates', () => {
  const block = 8 * day
  const at = (date: string) => Math.floor(Date.parse(date) / 1000 / block) * block
  const found = changedBlocks('Europe/Berlin', Date.parse('2026-11-26') / 1000)
  expect(found.slice(-4)).toEqual(['2025-03-30', '2025-10-26', '2026-03-29', '2026-10-25'].map(at))
  expect(changedBlocks('UTC', last)).toEqual([])
})
