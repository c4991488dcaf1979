import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { installationKey, Visitor } from '../../src/demo/visitor.ts'
import { contractOperations, positional } from '../contract/contract.ts'
import { Larder, labAccount } from '../lab/larder.ts'
import { eventually } from '../support/eventually.ts'
import { openTestClient } from '../support/postgres.ts'
import { seedHistory, type SeedOptions } from '../support/seed-history.ts'
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
}

async function measure(
  visitor: Visitor,
  facts: Facts,
  { rounds, only }: ReadOptions,
): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const scenario of scenarios) {
    if (!`${scenario.operation} ${scenario.what}`.includes(only)) continue
    const times: number[] = []
    const path = scenario.path(facts)
    for (let round = 0; round < rounds; round++) {
      // A tag makes the service forget the answers it kept: every view is a first one.
      await visitor.write('POST', `/api/events/${facts.eventIds[0]}/downloads/1`)
      const startMs = performance.now()
      await visitor.read(path)
      times.push(performance.now() - startMs)
    }
    measured.push({ scenario, times })
  }
  return measured
}

interface RowOptions {
  /** The first call after a start, milliseconds; undefined is not measured. */
  first?: number | undefined
  suffix?: string
}

function rowOf({ scenario, times }: Measured, { first, suffix = '' }: RowOptions): Row {
  const { operation, what, bound } = scenario
  const [p50, p99] = [median(times), percentile(times, 0.99)]
  const isOverview = operation === `GET ${overview}`
  const isLate =
    p99 > budgetMs || (first ?? 0) > firstBudgetMs || (isOverview && p50 > overviewBudgetMs)
  const start = first === undefined ? '' : `first ${milliseconds(first)}, `
  const most = isOverview ? `p50 ${overviewBudgetMs} ms, ` : ''
  const why = bound === undefined ? '' : `: ${bound}`
  return {
    what: `${operation.replace('GET ', '')} (${what}${suffix})`,
    measured: `${start}p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}`,
    budget: `first ${firstBudgetMs} ms, ${most}p99 ${budgetMs} ms${isLate ? `, exceeded${why}` : ''}`,
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

/** Reads an export slowly, again and again; where another one runs already, far pages of a search. */
async function readSlowly({ url }: Larder, visitor: Visitor, signal: AbortSignal): Promise<void> {
  const headers = { cookie: visitor.cookieHeader }
  while (!signal.aborted) {
    const answer = await fetch(`${url}/api/ext/downloads/export?format=csv`, { headers, signal })
    if (answer.ok && answer.body !== null) {
      for await (const _piece of answer.body) await Bun.sleep(slowReaderPauseMs)
    } else {
      const page = `${url}/api/downloads/retro?Search=game%205&Page=100`
      await (await fetch(page, { headers, signal })).text()
    }
  }
}

async function timeBesideSlowReaders(
  larder: Larder,
  visitor: Visitor,
  { facts, rounds }: { facts: Facts; rounds: number },
): Promise<Row> {
  const stop = new AbortController()
  const readers = Array.from({ length: slowReaders }, () =>
    readSlowly(larder, visitor, stop.signal).catch(() => {}),
  )
  const options = { rounds, only: `${overview} all`, history: {}, isHiding: false }
  const [measured] = await measure(visitor, facts, options)
  stop.abort()
  await Promise.all(readers)
  const p50 = median(measured?.times ?? [])
  return {
    what: `${overview} beside ${slowReaders} slow exports and searches`,
    measured: `p50 ${milliseconds(p50)}, p99 ${milliseconds(percentile(measured?.times ?? [], 0.99))}`,
    budget: `p50 ${overviewBudgetMs} ms${p50 > overviewBudgetMs ? ', exceeded' : ''}`,
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
  const facts = await factsOf(visitor)
  const firsts = await measure(visitor, facts, { ...options, rounds: 1 })
  const rows = (await measure(visitor, facts, options)).map((one, index) =>
    rowOf(one, { first: firsts[index]?.times[0] }),
  )
  if (options.isHiding) {
    await rules([{ ip: hiddenClient, mode: 'hide' }])
    const hiding = await measure(visitor, facts, options)
    rows.push(...hiding.map((one) => rowOf(one, { suffix: ', one client hidden' })))
    await rules([])
  }
  rows.push({
    what: 'start to the first complete overview, with signing in',
    measured: milliseconds(firstMs),
    budget: `${startBudgetMs} ms${firstMs > startBudgetMs ? ', exceeded' : ''}`,
  })
  if (overview.includes(options.only)) {
    rows.push(await timeBesideSlowReaders(larder, visitor, { facts, rounds: options.rounds }))
  }
  await larder.stop()
  return rows
}
