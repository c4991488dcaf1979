import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { firstSecond, logLine, type TestLine } from '../../../test/support/log-lines.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readTraffic, timesOf } from './traffic.ts'

const root = tempFolder('traffic')
let folders = 0
function read(lines: readonly string[], part: { bytesMax?: number } = {}) {
  const logPath = join(root, String(folders++))
  mkdirSync(logPath)
  writeFileSync(join(logPath, 'access.log'), lines.join(''))
  const period = { fromS: firstSecond, toS: firstSecond + 600 }
  return readTraffic({ logPath, timeZone: 'UTC', ...period, ...part })
}
const line = (at: number, part: TestLine = {}) => logLine({ at: firstSecond + at, ...part })
const timed = (at: number, times: string, part: TestLine = {}) =>
  line(at, part).replace(/\n$/, ` ${times}\n`)

test('times of requests in every format that has them', () => {
  const detailed = (times: string) =>
    '[20/Nov/2026:21:52:49 +0000] 10.0.0.1 GET "/a" - HTTP/1.1 200 "-" 200 300 64 0.125 64 MISS ' +
    `h 200 ${times} "ua 1.5"\n`
  expect(timesOf(detailed('0.100'))).toEqual({ request: 0.125, origin: 0.1 })
  expect(timesOf(detailed('0.050, 0.050'))).toEqual({ request: 0.125, origin: 0.1 })
  expect(timesOf(detailed('-'))).toEqual({ request: 0.125, origin: 0 })
  expect(timesOf(timed(0, '1.500 1.250'))).toEqual({ request: 1.5, origin: 1.25 })
  expect(timesOf(timed(0, '1.500 -'))).toEqual({ request: 1.5, origin: 0 })
  expect(timesOf(timed(0, '1.500'))).toEqual({ request: 1.5, origin: 0 })
  expect(timesOf('{"path":"/a","request_time":"2.000","upstream_response_time":"1.750"}')).toEqual({
    request: 2,
    origin: 1.75,
  })
  expect(timesOf('{"path":"/a","request_time":2.500}')).toEqual({ request: 2.5, origin: 0 })
  // Those without, whatever their texts contain.
  expect(timesOf(line(0))).toBeNull()
  expect(timesOf(line(0, { agent: 'Mozilla 1.500 2.500' }))).toBeNull()
  expect(timesOf('{"path":"/a\\"request_time\\":1.5","status":"200"}')).toBeNull()
})

test('sums of each client and title, and of everything', async () => {
  const { rows, all } = await read([
    line(-1, { bytes: 9 }),
    timed(2, '2.000', { bytes: 100, cache: 'HIT' }),
    timed(3, '1.000 0.500', { bytes: 200, cache: 'MISS' }),
    timed(4, '0.500 0.100', { bytes: 50, cache: 'REVALIDATED' }),
    timed(5, '0.500 0.400', { bytes: 60, cache: 'EXPIRED' }),
    line(5, { bytes: 9, status: 502, cache: 'MISS' }),
    line(5, { bytes: 9, cache: '-' }),
    line(6, { client: '10.0.0.2', bytes: 70 }),
    line(6, { path: '/depot/5/chunk/a', bytes: 80 }),
    line(601, { bytes: 9 }),
  ])
  expect(rows.map(({ client, titleKey }) => [client, titleKey])).toEqual([
    ['10.0.0.1', 'alpha:731'],
    ['10.0.0.1', 'alpha:5'],
    ['10.0.0.2', 'alpha:731'],
  ])
  expect(rows[0]).toEqual({
    client: '10.0.0.1',
    tag: 'steam',
    titleKey: 'alpha:731',
    hits: { requests: 2, bytes: 150, timed: 2, requestSeconds: 2.5, originSeconds: 0.1 },
    misses: { requests: 2, bytes: 260, timed: 2, requestSeconds: 1.5, originSeconds: 0.9 },
    expired: 2,
    activeSeconds: 6,
  })
  expect(all?.hits).toMatchObject({ requests: 4, bytes: 300, timed: 2 })
  expect((await read([])).all).toBeNull()
})

test('pauses of a download are no part of its time, long requests are', async () => {
  const seconds = async (lines: readonly string[]) => (await read(lines)).rows[0]?.activeSeconds
  expect(await seconds([line(0), line(5), line(10)])).toBe(11)
  expect(await seconds([line(0), line(5), line(200), line(205)])).toBe(11)
  // A request of 150 seconds that ends at 200 began after a pause.
  expect(await seconds([line(0), line(5), timed(200, '150.000')])).toBe(156)
  expect(await seconds([timed(100, '100.000')])).toBe(101)
})

test('reads no more of a file than is wanted', async () => {
  const lines = Array.from({ length: 1000 }, (_, at) => line(at % 500, { bytes: 1 }))
  const { all, coverage } = await read(lines, { bytesMax: 10 * line(0).length })
  expect(all?.hits.requests).toBeLessThanOrEqual(10)
  expect(coverage.isCut).toBe(true)
})
