import { afterEach, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openClient } from '../../db/history/connect.ts'
import type { DashboardBatch } from '../../src/dashboard/model.ts'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import type { Download, RetroDownloadDto, RetroPage } from '../../src/downloads/downloads/model.ts'
import type { DownloadsSummary, Traffic } from '../../src/downloads/games/model.ts'
import type { ClientStats, DashboardStats, ServiceStats } from '../../src/downloads/stats/model.ts'
import { eventually } from '../support/eventually.ts'
import { logLine } from '../support/log-lines.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { expectTotals } from './expect-totals.ts'
import { labAccount, Larder } from './larder.ts'
import { alphaHeaders, download, startProxy } from './proxy.ts'
import { referenceCount } from './reference-count.ts'

const cuts = 4
const tickMs = 40
const firstClient = '127.0.0.21'
const clients = [firstClient, '127.0.0.22', '127.0.0.23']
/** Alternates between a depot and content without a title. */
const pathOf = (count: number) =>
  count % 2 === 0 ? `/size/${count}/depot/731/chunk/${count}` : `/size/${count}/eamaster/${count}`

interface Downloading {
  logPath: string
  cachePath: string
  /** The access log so far. */
  text(): string
  /** Resolves when the last line is written. */
  stop(): Promise<void>
}

/** Runs `one` again and again until the returned function is called. */
function repeat(one: (count: number) => unknown) {
  const stopping = new AbortController()
  const running = (async () => {
    for (let count = 0; !stopping.signal.aborted; count++) {
      await one(count)
      await Bun.sleep(tickMs)
    }
  })()
  return () => {
    stopping.abort()
    return running
  }
}

async function appendedLines(root: string): Promise<Downloading> {
  const logPath = join(root, 'logs')
  mkdirSync(logPath)
  const file = join(logPath, 'access.log')
  const stop = repeat((count) => {
    const at = Math.floor(Date.now() / 1000)
    const client = clients[count % 3] ?? ''
    const what = { at, client, path: pathOf(count), tag: count % 2 === 0 ? 'steam' : 'origin' }
    const lines = [logLine({ ...what, cache: count % 5 === 0 ? 'MISS' : 'HIT', bytes: count })]
    if (count % 7 === 0) {
      lines.push(logLine({ ...what, status: 404 }))
      lines.push(logLine({ at, client, path: `/depot/${5000 + (count % 60)}/chunk/aa` }))
    }
    appendFileSync(file, lines.join(''))
  })
  return { logPath, cachePath: join(root, 'cache'), text: () => readFileSync(file, 'utf8'), stop }
}

async function realProxy(root: string): Promise<Downloading> {
  const proxy = await startProxy(root)
  const { port, plainLogs: logPath, cachePath } = proxy
  const other = { host: 'cdn.example.test' }
  const stopRequests = repeat((count) => {
    const headers = count % 2 === 0 ? alphaHeaders : other
    const what = { port, path: pathOf(count), headers }
    return Promise.all(clients.map((from) => download({ ...what, from })))
  })
  const stop = async () => {
    await stopRequests()
    await proxy.stop()
  }
  return { logPath, cachePath, text: () => readFileSync(join(logPath, 'access.log'), 'utf8'), stop }
}

const add = <Row>(rows: readonly Row[], of: (row: Row) => number) =>
  rows.reduce((sum, row) => sum + of(row), 0)

interface Sums {
  hit: number
  miss: number
  downloads: number
}

const ofStats = (rows: readonly (ServiceStats | ClientStats)[]): Sums => ({
  hit: add(rows, (row) => row.totalCacheHitBytes),
  miss: add(rows, (row) => row.totalCacheMissBytes),
  downloads: add(rows, (row) => row.totalDownloads),
})
const ofRows = (rows: readonly Omit<RetroDownloadDto, 'id'>[]): Sums => ({
  hit: add(rows, (row) => row.cacheHitBytes),
  miss: add(rows, (row) => row.cacheMissBytes),
  downloads: add(rows, (row) => row.requestCount),
})
const ofDownloads = (rows: readonly Download[]): Sums => ({
  hit: add(rows, (row) => row.cacheHitBytes),
  miss: add(rows, (row) => row.cacheMissBytes),
  downloads: rows.length,
})
const ofCards = ({ period }: DashboardStats): Sums => ({
  hit: period.bandwidthSaved,
  miss: period.addedToCache,
  downloads: period.downloads,
})
const ofTotals = ({ totals }: Pick<DownloadsSummary, 'totals'>): Sums => ({
  hit: totals.hitBytes,
  miss: totals.missBytes,
  downloads: totals.downloads,
})

/** Figures with one meaning, since `start`, from every place that shows them. */
async function figures(visitor: Visitor, start: number) {
  const scope = `startTime=${start}`
  const list = `StartTime=${start}`
  const batch = await visitor.read<DashboardBatch>(`/api/dashboard/batch?${scope}`)
  const cards = await visitor.read<DashboardStats>(`/api/stats/dashboard?${scope}`)
  const services = await visitor.read<ServiceStats[]>(`/api/stats/services?${scope}`)
  const byClient = await visitor.read<ClientStats[]>(`/api/stats/clients?${scope}`)
  const newest = await visitor.read<{ download: Download }[]>(
    `/api/downloads/with-associations?count=1000&${scope}`,
  )
  const file = await visitor.read<Download[]>(`/api/ext/downloads/export?format=json&${list}`)
  const summary = await visitor.read<DownloadsSummary>(`/api/ext/downloads/summary?${list}`)
  const retro = async (merge: string) => {
    const path = `/api/downloads/retro?PageSize=200&${list}${merge}`
    const { items, totalPages } = await visitor.read<RetroPage>(path)
    expect(totalPages).toBe(1)
    return ofRows(items)
  }
  const traffic = async (path: string) =>
    ofTotals(await visitor.read<Traffic>(`/api/ext/${path}/traffic?${scope}`))
  const { hourlyActivity: hours, sparklines } = batch
  return {
    ids: file.map(({ id }) => id),
    sums: {
      cards: ofCards(cards),
      cardsOfBatch: ofCards(batch.dashboard),
      services: ofStats(services),
      servicesOfBatch: ofStats(batch.services.items),
      clients: ofStats(byClient),
      clientsOfBatch: ofStats(batch.clients.items),
      newest: ofDownloads(newest.map(({ download: row }) => row)),
      export: ofDownloads(file),
      downloads: await retro(''),
      games: await retro('&GroupByGame=true'),
      byService: await retro('&GroupByService=true'),
      summary: ofTotals(summary),
      hours: {
        hit: add(hours.hours, (row) => row.cacheHitBytes),
        miss: add(hours.hours, (row) => row.cacheMissBytes),
        downloads: hours.totalDownloads,
      },
    },
    // All time is since the start, because there was nothing before.
    bytes: [
      cards.period.totalServed,
      cards.totalServed,
      cards.totalBandwidthSaved + cards.totalAddedToCache,
      add(cards.serviceBreakdown, ({ bytes }) => bytes),
      hours.totalBytesServed,
      add(sparklines.totalServed.data, (bytes) => bytes),
      summary.totals.servedBytes,
      add(summary.topClients, ({ servedBytes }) => servedBytes),
    ],
    failed: [
      cards.period.failedRequests,
      add(services, (row) => row.failedRequests),
      add(byClient, (row) => row.failedRequests),
    ],
    clients: [cards.uniqueClients, byClient.length, batch.clients.total, summary.clients],
    ofClient: [
      ofStats(byClient.filter(({ clientIp }) => clientIp === firstClient)),
      await traffic(`clients/${firstClient}`),
    ],
    ofService: [
      ofStats(services.filter(({ service }) => service === 'steam')),
      await traffic('services/steam'),
    ],
  }
}

/** Nothing is stored in the history while `read` runs; the downloads go on. */
async function atOneCut<T>(larder: Larder, read: () => Promise<T>): Promise<T> {
  const target = larder.historyTarget()
  const sql = openClient(target, { name: 'lab', connections: 1, statementTimeoutMs: 0 })
  try {
    let answer: T | undefined
    await sql.begin(async (transaction) => {
      await transaction`lock table ingest_link in exclusive mode`
      answer = await read()
    })
    return answer as T
  } finally {
    await sql.end({ timeout: 1 })
  }
}

let downloading: Downloading | null = null
afterEach(async () => {
  await downloading?.stop()
  downloading = null
})

/** Whether each view of the list has a running download; null while the history starts. */
async function runningViews(visitor: Visitor): Promise<boolean[] | null> {
  const views = ['', '&GroupByGame=true', '&GroupByService=true'].map(async (merge) => {
    const view = await visitor.read<RetroPage>(`/api/downloads/retro?PageSize=200${merge}`)
    return view.items.some(({ isActive }) => isActive)
  })
  return await Promise.all(views).catch(() => null)
}

test.each([
  ['lines appended to a log', appendedLines],
  ['a real proxy', realProxy],
])(
  'with downloads that never pause, all figures agree at each moment: %s',
  async (_name, begin) => {
    const root = tempFolder('running')
    const source = await begin(root)
    downloading = source
    const { logPath, cachePath } = source
    const options = {
      dataPath: join(root, 'data'),
      cachePath,
      sources: [{ name: 'default', logPath }],
    }
    let larder = await Larder.start(options)
    let visitor = await larder.firstSignIn()
    const haveRunning = async () => (await runningViews(visitor))?.every(Boolean) === true
    await eventually(haveRunning, 'the lists have running downloads')
    // Lists have no row for a client or service with nothing but failed requests.
    const haveAll = async () => {
      const batch = await visitor.read<DashboardBatch>('/api/dashboard/batch')
      return batch.clients.total === clients.length && batch.services.items.length >= 2
    }
    await eventually(haveAll, 'each client and service was served')
    const start = Math.floor(Date.now() / 1000) - 86_400
    let before = { bytes: 0, ids: new Set<number>() }
    for (let cut = 0; cut < cuts; cut++) {
      if (cut === cuts / 2) {
        await larder.kill()
        larder = await Larder.start(options)
        visitor = new Visitor(larder.url)
        await visitor.signIn(installationKey(larder.dataPath), labAccount)
      }
      const hasGrown = async () => {
        const stats = visitor.read<DashboardStats>('/api/stats/dashboard').catch(() => null)
        return ((await stats)?.totalServed ?? 0) > before.bytes
      }
      await eventually(hasGrown, 'more was downloaded')
      // A start of its own for each, so that no answer is from the cache.
      const now = await atOneCut(larder, () => figures(visitor, start - cut))
      const { ids, sums, ...others } = now
      const all = Object.fromEntries(Object.keys(sums).map((place) => [place, sums.cards]))
      expect<object>(sums).toEqual(all)
      const bytes = sums.cards.hit + sums.cards.miss
      expect(others.bytes[0]).toBe(bytes)
      for (const [name, same] of Object.entries(others)) {
        expect<[string, unknown[]]>([name, same]).toEqual([name, same.map(() => same[0])])
      }
      // A row keeps its id while it grows, and after the service was killed.
      expect(ids.filter((id) => before.ids.has(id))).toHaveLength(before.ids.size)
      before = { bytes, ids: new Set(ids) }
    }
    await source.stop()
    await expectTotals(larder, 'default', () => referenceCount(source.text(), 'plain'))
    const haveNone = async () => (await runningViews(visitor))?.some(Boolean) === false
    await eventually(haveNone, 'all of them have ended')
    expect(await larder.stop()).toBe(0)
  },
)
