import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { contractOperations, positional } from '../contract/contract.ts'
import { Larder, labAccount } from '../lab/larder.ts'
import { eventually } from '../support/eventually.ts'
import { openTestClient } from '../support/postgres.ts'
import { seedHistory, type SeedOptions } from '../support/seed-history.ts'
import { costText, readsOf, startCost, type Cost } from './cost.ts'
import { median, milliseconds, percentile, type Row } from './measure.ts'
import { scenarios, type Facts, type ReadScenario } from './scenarios.ts'

/** What every read of the groups Clients and Downloads has to stay below, 99 of 100 times. */
const budgetMs = 100
/** The first time after a start. */
const firstBudgetMs = 500
/** The overview's batch, half of the times. */
const overviewBudgetMs = 20
/** From a start to the first overview with all of its sections. */
const startBudgetMs = 2000
const slowReaders = 10
/** Between the pieces that a slow reader takes of a file. */
const slowReaderPauseMs = 50
const refusedPauseMs = 1000
const daySeconds = 86_400
const hiddenClient = '10.0.0.15'

export const histories = {
  year: {},
  years: { downloads: 2_000_000, days: 730, clients: 40, titles: 1000 },
  ten: { downloads: 10_000_000, days: 3650, clients: 40, titles: 1000 },
} as const satisfies Record<string, SeedOptions>

interface ReadOptions {
  history: SeedOptions
  rounds: number
  /** Scenarios whose words contain this; empty is all. */
  only: string
  /** Also with a client that is left out of everything. */
  isHiding: boolean
}

/** Reads of the contract in both groups that are not measured. */
function unmeasured(): string[] {
  const measured = new Set(scenarios.map(({ operation }) => positional(operation)))
  return contractOperations
    .filter(({ method, tag }) => method === 'GET' && /^(Clients|Downloads)/.test(tag))
    .map(({ key }) => key)
    .filter((key) => !measured.has(positional(key)))
}

/** A service on a seeded history; a folder that was kept is used again. */
export async function startSeeded(
  root: string,
  history: SeedOptions,
): Promise<{ larder: Larder; visitor: Visitor }> {
  const logPath = join(root, 'logs')
  mkdirSync(logPath, { recursive: true })
  const dataPath = join(root, 'data')
  const sources = [{ name: 'bench', logPath }]
  const larder = await Larder.start({ dataPath, cachePath: join(root, 'cache'), sources })
  await eventually(() => larder.output.includes('history ready'), 'the history is there')
  const mark = join(root, 'seeded')
  if (existsSync(mark)) {
    const visitor = new Visitor(larder.url)
    await visitor.signIn(installationKey(dataPath), labAccount)
    return { larder, visitor }
  }
  const visitor = await larder.firstSignIn()
  await seedHistory(larder.historyTarget(), { ...history, until: new Date() })
  await addEvents(larder, visitor)
  await visitor.write('POST', '/api/client-groups', {
    nickname: 'Bench',
    initialIps: ['10.0.0.11'],
  })
  await Bun.write(mark, '')
  return { larder, visitor }
}

/** Two events of two days each, with tags on everything that began inside. */
async function addEvents(larder: Larder, visitor: Visitor): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  for (const [index, days] of [4, 20].entries()) {
    const startTime = now - days * daySeconds
    const endTime = startTime + 2 * daySeconds
    await visitor.write('POST', '/api/events', { name: `Bench ${index}`, startTime, endTime })
  }
  const sql = openTestClient(larder.historyTarget())
  await sql`
    INSERT INTO event_downloads (event_id, download_id, tagged_at, is_automatic, is_removed)
    SELECT events.id, downloads.id, now(), true, false
    FROM events JOIN downloads ON started_at BETWEEN start_at AND end_at
    ON CONFLICT DO NOTHING`
  // As it is after an hour: what was filled in one go nobody has tidied up yet.
  await sql`VACUUM ANALYZE`
  await sql.end()
}

async function factsOf(visitor: Visitor): Promise<Facts> {
  const events = await visitor.read<{ id: number }[]>('/api/events')
  const eventIds = events.slice(0, 2).map(({ id }) => id)
  return { now: Math.floor(Date.now() / 1000), eventIds }
}

interface Measured {
  scenario: ReadScenario
  times: number[]
  costs: Cost[]
}

interface Measuring extends ReadOptions {
  larder: Larder
  visitor: Visitor
  facts: Facts
}

/** A tag makes the service forget the answers it kept: every view is a first one. */
const forget = ({ visitor, facts }: Measuring) =>
  visitor.write('POST', `/api/events/${facts.eventIds[0]}/downloads/1`)

async function measure(options: Measuring): Promise<Measured[]> {
  const { larder, visitor, facts, rounds, only } = options
  const measured: Measured[] = []
  for (const scenario of scenarios) {
    if (!`${scenario.operation} ${scenario.what}`.includes(only)) continue
    const path = scenario.path(facts)
    const times: number[] = []
    const costs: Cost[] = []
    for (let round = 0; round < rounds; round++) {
      await forget(options)
      const costOf = startCost(larder)
      const startMs = performance.now()
      await visitor.read(path)
      times.push(performance.now() - startMs)
      costs.push(costOf())
    }
    measured.push({ scenario, times, costs })
  }
  return measured
}

function isLate({ scenario, times }: Measured): boolean {
  const isSlow = scenario.operation === `GET ${overview}` && median(times) > overviewBudgetMs
  return isSlow || percentile(times, 0.99) > budgetMs
}

interface RowOptions {
  /** The first call after a start, milliseconds; undefined is not measured. */
  first?: number | undefined
  suffix?: string
}

/** The bound of a late read: what its calls cost, and what one reads in the history. */
async function boundOf(options: Measuring, { scenario, costs }: Measured): Promise<string> {
  const sql = openTestClient(options.larder.historyTarget())
  const reads = await readsOf(sql, async () => {
    await forget(options)
    await options.visitor.read(scenario.path(options.facts))
  })
  await sql.end()
  return `${costText(costs)}; ${reads}`
}

async function rowOf(
  options: Measuring,
  measured: Measured,
  { first, suffix = '' }: RowOptions,
): Promise<Row> {
  const { scenario, times } = measured
  const { operation, what } = scenario
  const start = first === undefined ? '' : `first ${milliseconds(first)}, `
  const most = operation === `GET ${overview}` ? `p50 ${overviewBudgetMs} ms, ` : ''
  const why = isLate(measured) ? `, exceeded: ${await boundOf(options, measured)}` : ''
  const isFirstLate = (first ?? 0) > firstBudgetMs ? ', first exceeded' : ''
  return {
    what: `${operation.replace('GET ', '')} (${what}${suffix})`,
    measured: `${start}p50 ${milliseconds(median(times))}, p99 ${milliseconds(percentile(times, 0.99))}`,
    budget: `first ${firstBudgetMs} ms, ${most}p99 ${budgetMs} ms${isFirstLate}${why}`,
  }
}

const overview = '/api/dashboard/batch'

/** Until the first overview with all of its sections, from before the start of the process. */
async function timeFirstOverview(root: string, history: SeedOptions) {
  const startMs = performance.now()
  const started = await startSeeded(root, history)
  const isWhole = async () => {
    const { failedSections } = await started.visitor.read<{ failedSections: string[] }>(overview)
    return failedSections.length === 0
  }
  await eventually(isWhole, 'the overview is complete')
  return { ...started, firstMs: performance.now() - startMs }
}

const slowReads = {
  exports: '/api/ext/downloads/export?format=csv',
  searches: '/api/downloads/retro?Search=game%205&Page=100',
} as const

/** Reads an answer slowly, again and again; one that the service refuses is asked for again later. */
async function readSlowly(url: string, { cookieHeader }: Visitor, signal: AbortSignal) {
  while (!signal.aborted) {
    const { ok, body } = await fetch(url, { headers: { cookie: cookieHeader }, signal })
    if (body !== null) for await (const _piece of body) await Bun.sleep(slowReaderPauseMs)
    if (!ok) await Bun.sleep(refusedPauseMs)
  }
}

/** The overview of all time while ten readers ask for one of the slow reads. */
async function timeBesideSlowReaders(
  options: Measuring,
  what: keyof typeof slowReads,
): Promise<Row> {
  const stop = new AbortController()
  const { larder, visitor } = options
  const readers = Array.from({ length: slowReaders }, () =>
    readSlowly(`${larder.url}${slowReads[what]}`, visitor, stop.signal).catch(() => {}),
  )
  const [measured] = await measure({ ...options, only: `${overview} all` })
  stop.abort()
  await Promise.all(readers)
  const times = measured?.times ?? []
  const isSlow = median(times) > overviewBudgetMs
  return {
    what: `${overview} (all, beside ${slowReaders} slow ${what})`,
    measured: `p50 ${milliseconds(median(times))}, p99 ${milliseconds(percentile(times, 0.99))}`,
    budget: `p50 ${overviewBudgetMs} ms${isSlow ? ', exceeded' : ''}`,
  }
}

/** Every read of both groups on a year with a million downloads, nothing kept from before. */
export async function timeReads(root: string, options: ReadOptions): Promise<Row[]> {
  const missing = unmeasured()
  if (missing.length > 0) throw new Error(`not measured: ${missing.join(', ')}`)
  const { larder, visitor, firstMs } = await timeFirstOverview(root, options.history)
  const rules = (list: { ip: string; mode: string }[]) =>
    visitor.write('PUT', '/api/stats/exclusions', { rules: list })
  await rules([])
  const measuring = { ...options, larder, visitor, facts: await factsOf(visitor) }
  const firsts = await measure({ ...measuring, rounds: 1 })
  const rows: Row[] = []
  for (const [index, one] of (await measure(measuring)).entries())
    rows.push(await rowOf(measuring, one, { first: firsts[index]?.times[0] }))
  if (options.isHiding) {
    await rules([{ ip: hiddenClient, mode: 'hide' }])
    for (const one of await measure(measuring))
      rows.push(await rowOf(measuring, one, { suffix: ', one client hidden' }))
    await rules([])
  }
  rows.push({
    what: 'start to the first complete overview, with signing in',
    measured: milliseconds(firstMs),
    budget: `${startBudgetMs} ms${firstMs > startBudgetMs ? ', exceeded' : ''}`,
  })
  if (overview.includes(options.only)) {
    for (const what of ['exports', 'searches'] as const)
      rows.push(await timeBesideSlowReaders(measuring, what))
  }
  await larder.stop()
  return rows
}
