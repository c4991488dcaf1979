import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DashboardBatch } from '../../src/dashboard/model.ts'
import type { Visitor } from '../../src/demo/visitor.ts'
import type { Traffic } from '../../src/downloads/games/model.ts'
import type { ClientStats, DashboardStats, ServiceStats } from '../../src/downloads/stats/model.ts'
import { logLine } from '../support/log-lines.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { expectTotals } from './expect-totals.ts'
import { Larder } from './larder.ts'
import { referenceCount } from './reference-count.ts'

/** Three days in the past; midnight, hours and buckets of UTC are edges. */
const first = Date.UTC(2026, 2, 27) / 1000
const length = 3 * 86_400
/** Offset of the service's time zone, Asia/Kathmandu. */
const offset = 5.75 * 3600

interface Line {
  at: number
  client: string
  service: string
  /** Distinguishes downloads of one client and service. */
  title: string
  path: string
  isHit: boolean
  bytes: number
  isServed: boolean
}

const seed = 20_261_123
let state = seed
const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below
function oneOf<Value>(values: readonly Value[]): Value {
  const value = values[random(values.length)]
  if (value === undefined) throw new Error('nothing to choose from')
  return value
}

const clients = ['10.0.0.1', '10.0.0.2', '192.168.7.9', 'fd00::15'] as const
const titles = [
  { service: 'steam', title: '731', path: '/depot/731/chunk/' },
  { service: 'steam', title: '732', path: '/depot/732/chunk/' },
  { service: 'steam', title: '999777', path: '/depot/999777/chunk/' },
  { service: 'origin', title: '', path: '/eamaster/' },
] as const

/** A moment near the edge of a bucket, an hour or a day. */
const nearEdge = (): number => {
  const width = oneOf([300, 3600, 86_400])
  return first + random(length / width + 1) * width + random(900) - 450
}

/** Requests of one client for one title, some of which fail, with pauses that may end a download. */
function visit(): Line[] {
  const what = { ...oneOf(titles), client: oneOf(clients) }
  const lines: Line[] = []
  let at = nearEdge()
  for (let left = 1 + random(12); left > 0; left--) {
    const path = `${what.path}${lines.length}-${at}`
    const [isHit, isServed] = [random(3) > 0, random(9) > 0]
    lines.push({ ...what, at, path, isHit, isServed, bytes: 1 + random(1_000_000) })
    at += random(5) === 0 ? 290 + random(25) : random(120)
  }
  return lines
}

const lines = Array.from({ length: 400 }, visit)
  .flat()
  .toSorted((a, b) => a.at - b.at)
const served = lines.filter(({ isServed }) => isServed)

interface Range {
  start: number
  end: number
}

function groups<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  return [...Map.groupBy(items, keyOf).values()]
}

const keyOf = ({ client, service, title }: Line) => `${client} ${service} ${title}`
const sum = (rows: readonly Line[], isCounted: (line: Line) => boolean = () => true): number =>
  rows.reduce((total, line) => total + (isCounted(line) ? line.bytes : 0), 0)

/** Downloads: the requests of one client for one title, with gaps of at most 300 seconds. */
const downloads: Line[][] = groups(served, keyOf).flatMap((rows) => {
  const cuts = rows.flatMap(({ at }, index) =>
    index === 0 || at - (rows[index - 1]?.at ?? 0) > 300 ? [index] : [],
  )
  return cuts.map((from, index) => rows.slice(from, cuts[index + 1]))
})

/** Lines whose bytes count: of a bucket at an edge, those of rows with traffic inside. */
const linesIn = ({ start, end }: Range): Line[] =>
  groups(served, (line) => `${keyOf(line)} ${Math.floor(line.at / 300)}`)
    .filter((rows) => (rows.at(-1)?.at ?? 0) >= start && (rows[0]?.at ?? 0) <= end)
    .flatMap((rows) => {
      const bucket = Math.floor((rows[0]?.at ?? 0) / 300) * 300
      return bucket + 299 >= start && bucket <= end ? rows : []
    })

const downloadsIn = ({ start, end }: Range): Line[][] =>
  downloads.filter(([line]) => line !== undefined && line.at >= start && line.at <= end)

const startsIn = (range: Range): Line[] => downloadsIn(range).flatMap((rows) => rows.slice(0, 1))

const failedIn = ({ start, end }: Range): Line[] =>
  lines.filter(({ at, isServed }) => {
    const bucket = Math.floor(at / 300) * 300
    return !isServed && bucket + 299 >= start && bucket <= end
  })

/** A range to the second, most of them with an end next to an edge. */
function range(): Range {
  const [a, b] = [nearEdge(), random(3) === 0 ? first + random(length) : nearEdge()]
  return { start: Math.min(a, b), end: Math.max(a, b) }
}

/** The counts of some lines by a name, in the same order as a table of them. */
const table = (range: Range, nameOf: (line: Line) => string) =>
  Object.fromEntries(
    groups([...linesIn(range), ...startsIn(range)], nameOf)
      .map(([line]) => (line === undefined ? '' : nameOf(line)))
      .map((name) => {
        const isNamed = (line: Line) => nameOf(line) === name
        const rows = linesIn(range).filter(isNamed)
        const failed = failedIn(range).filter(isNamed).length
        const hit = sum(rows, ({ isHit }) => isHit)
        return [name, [hit, sum(rows) - hit, startsIn(range).filter(isNamed).length, failed]]
      }),
  )

const figures = (row: ClientStats | ServiceStats) => [
  row.totalCacheHitBytes,
  row.totalCacheMissBytes,
  row.totalDownloads,
  row.failedRequests,
]

let larder: Larder
let visitor: Visitor

beforeAll(async () => {
  const root = tempFolder('ranges')
  const logPath = join(root, 'logs')
  mkdirSync(logPath)
  const text = lines
    .map((line) =>
      logLine({
        ...line,
        tag: line.service,
        status: line.isServed ? 206 : 404,
        cache: line.isHit ? 'HIT' : 'MISS',
      }),
    )
    .join('')
  writeFileSync(join(logPath, 'access.log'), text)
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: join(root, 'cache'),
    sources: [{ name: 'default', logPath }],
    environment: { TZ: 'Asia/Kathmandu' },
  })
  visitor = await larder.firstSignIn()
  await expectTotals(larder, 'default', referenceCount(text, 'plain'))
})

afterAll(async () => {
  expect(await larder.stop()).toBe(0)
})

const ranges = Array.from({ length: 24 }, range)

test.each(ranges)('from %o the pages, lists and files agree with the log', async (asked) => {
  const { start, end } = asked
  const query = `startTime=${start}&endTime=${end}`
  const counted = linesIn(asked)
  const begun = startsIn(asked)
  const hit = sum(counted, ({ isHit }) => isHit)
  const miss = sum(counted) - hit
  const period = { bandwidthSaved: hit, addedToCache: miss, totalServed: hit + miss }

  const dashboard = await visitor.read<DashboardStats>(`/api/stats/dashboard?${query}`)
  expect(dashboard.period).toMatchObject({
    ...period,
    downloads: begun.length,
    failedRequests: failedIn(asked).length,
  })
  expect(dashboard.uniqueClients).toBe(new Set(counted.map(({ client }) => client)).size)

  const byService = table(asked, ({ service }) => service)
  const services = await visitor.read<ServiceStats[]>(`/api/stats/services?${query}`)
  expect(Object.fromEntries(services.map((row) => [row.service, figures(row)]))).toEqual(byService)
  const byClient = table(asked, ({ client }) => client)
  const list = await visitor.read<ClientStats[]>(`/api/stats/clients?${query}`)
  expect(Object.fromEntries(list.map((row) => [row.clientIp, figures(row)]))).toEqual(byClient)

  const batch = await visitor.read<DashboardBatch>(`/api/dashboard/batch?${query}`)
  expect(batch.dashboard.period).toEqual(dashboard.period)
  expect(batch.clients.items).toEqual(list)
  expect(batch.services.items).toEqual(services)
  expect(batch.downloads.items).toHaveLength(Math.min(begun.length, 200))
  const { hours, totalBytesServed, totalDownloads } = batch.hourlyActivity
  expect([totalBytesServed, totalDownloads]).toEqual([hit + miss, begun.length])
  const hourOf = (at: number) => Math.floor((at + offset) / 3600) % 24
  for (const { hour, bytesServed, downloads } of hours) {
    const bucketHour = ({ at }: Line) => hourOf(Math.floor(at / 300) * 300) === hour
    expect([hour, bytesServed, downloads]).toEqual([
      hour,
      sum(counted, bucketHour),
      begun.filter(({ at }) => hourOf(at) === hour).length,
    ])
  }

  const things: [string, (line: Line) => boolean][] = [
    ...clients.map((client): [string, (line: Line) => boolean] => [
      `clients/${encodeURIComponent(client)}`,
      (line) => line.client === client,
    ]),
    ['services/origin', ({ service }) => service === 'origin'],
    ['services/steam', ({ service }) => service === 'steam'],
    ['games/steam/730', ({ title }) => title === '731' || title === '732'],
  ]
  for (const [path, isOne] of things) {
    const { totals } = await visitor.read<Traffic>(`/api/ext/${path}/traffic?${query}`)
    const bytes = sum(counted, isOne)
    const downloads = begun.filter(isOne).length
    expect([path, totals.servedBytes, totals.downloads]).toEqual([path, bytes, downloads])
  }

  const lists = `StartTime=${start}&EndTime=${end}`
  const listed = { downloads: begun.length, servedBytes: sum(downloadsIn(asked).flat()) }
  const exported = await visitor.read<{ totalBytes: number }[]>(
    `/api/ext/downloads/export?format=json&${lists}`,
  )
  const exportedBytes = exported.reduce((total, { totalBytes }) => total + totalBytes, 0)
  expect({ downloads: exported.length, servedBytes: exportedBytes }).toEqual(listed)
  const summary = await visitor.read<Pick<Traffic, 'totals'>>(`/api/ext/downloads/summary?${lists}`)
  expect(summary.totals).toMatchObject(listed)
  const view = await visitor.read<{ items: { requestCount: number }[] }>(
    `/api/downloads/retro?PageSize=200&${lists}`,
  )
  const inView = view.items.reduce((total, { requestCount }) => total + requestCount, 0)
  expect(inView).toBe(begun.length)
})
