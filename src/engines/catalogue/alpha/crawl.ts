import { inSlices } from '../../../core/lib/in-slices.ts'
import type { Outside } from '../../../core/lib/outside.ts'
import { pause } from '../../../core/lib/pause.ts'
import {
  noProgress,
  type CrawlOutcome,
  type CrawlProgress,
  type CrawlRequest,
} from '../contract.ts'
import { crawlSource, orphanSource, type AppFacts, type CatalogueStore } from '../store.ts'
import { appIds } from './app-list.ts'
import { writeList } from './list-file.ts'
import { AlphaUnreachable, faultOf } from '../../alpha-connection/connection.ts'
import { createAlphaSession, type AlphaSession } from './session.ts'
import { errorText } from '../../../core/lib/error-text.ts'

/** Apps per request for product information. */
const batchSize = 200
/** Related apps and candidates of orphans per request. */
const groupSize = 50
/** Without a stored change number, an incremental crawl begins this far back. */
const firstGap = 50_000
const changedMax = 500_000
const changesPauseMs = 100
/** A full crawl that was interrupted this recently is continued. */
const resumeMs = 24 * 3_600_000
/** A depot whose neighbours did not own it is asked for again after this. */
const orphanMs = 7 * 24 * 3_600_000

export interface CrawlParts {
  dataPath: string
  store: CatalogueStore
  outside: Outside
  signal: AbortSignal
  progress: (report: CrawlProgress) => void
  pauseMs?: number
}

interface Crawl extends CrawlParts {
  request: CrawlRequest
  session: AlphaSession
  report: CrawlProgress
  say: (change: Partial<CrawlProgress>) => void
}

/** Where a full crawl continues: after `lastAppId`, as part of the run that began at `since`. */
function fullPlan({ store }: CrawlParts): { since: number; after: number } {
  const kept = store.get('fullCrawl')
  const plan = kept === null ? null : (JSON.parse(kept) as { since: number; after: number })
  const isRecent = plan !== null && Date.now() - plan.since < resumeMs
  return isRecent ? plan : { since: Date.now(), after: 0 }
}

/** Apps of a batch that it mentions and nobody knows: DLC, and owners of shared depots. */
function unknownRelated({ store }: Crawl, apps: AppFacts[], inBatch: Set<number>): number[] {
  const related = new Set<number>()
  for (const { dlcIds, depots } of apps) {
    for (const id of dlcIds) related.add(id)
    for (const { ownerId } of depots) related.add(ownerId)
  }
  return [...related].filter((id) => !inBatch.has(id) && !store.hasApp(id)).slice(0, batchSize)
}

/** Fetches and stores one batch, and one level of the apps that it mentions. */
async function takeBatch(crawl: Crawl, ids: number[], since: number): Promise<void> {
  const { session, store, request } = crawl
  const apps = await session.products(ids)
  store.addApps(apps, { source: crawlSource, since })
  // A full crawl comes to them by itself.
  if (request.kind === 'full') return
  for (const group of inSlices(unknownRelated(crawl, apps, new Set(ids)), groupSize)) {
    store.addApps(await session.products(group), { source: crawlSource, since })
  }
}

async function takeBatches(
  crawl: Crawl,
  ids: number[],
  { since, noteBatch }: { since: number; noteBatch: (lastAppId: number) => void },
): Promise<void> {
  const { store, signal, report, say } = crawl
  const batches = inSlices(ids, batchSize)
  const found = store.mappings()
  say({ phase: 'processing', totalApps: ids.length, totalBatches: batches.length })
  for (const batch of batches) {
    signal.throwIfAborted()
    try {
      await takeBatch(crawl, batch, since)
    } catch (error) {
      // A dead session ends the run; any other failure costs one batch.
      if (error instanceof AlphaUnreachable) throw error
      say({ failedBatches: report.failedBatches + 1 })
    }
    noteBatch(batch.at(-1) ?? 0)
    say({
      processedApps: report.processedApps + batch.length,
      processedBatches: report.processedBatches + 1,
      depotMappingsFound: store.mappings(),
      depotMappingsFoundInSession: Math.max(0, store.mappings() - found),
    })
  }
}

async function crawlFull(crawl: Crawl): Promise<void> {
  const { store, session, signal, outside, request, report } = crawl
  const plan = fullPlan(crawl)
  const ids = await appIds({ outside, signal, ...request.webApi }, plan.after)
  if (plan.after === 0) {
    const { current } = await session.changesSince(0)
    store.set('fullCrawl.changeNumber', String(current))
  }
  await takeBatches(crawl, ids, {
    since: plan.since,
    noteBatch: (after) => store.set('fullCrawl', JSON.stringify({ ...plan, after })),
  })
  store.set('fullCrawl', null)
  store.set('changeNumber', store.get('fullCrawl.changeNumber'))
  if (report.failedBatches === 0) store.dropOlderThan(plan.since)
}

/** False: Steam demands a full update. */
async function crawlChanges(crawl: Crawl): Promise<boolean> {
  const { store, session, signal } = crawl
  const { current } = await session.changesSince(0)
  let since = Number(store.get('changeNumber') ?? 0)
  if (since === 0) since = Math.max(1, current - firstGap)
  const changed = new Set<number>()
  while (since < current && changed.size < changedMax) {
    const changes = await session.changesSince(since)
    if (changes.fullNeeded) return false
    for (const id of changes.appIds) changed.add(id)
    if (changes.current <= since) break
    since = changes.current
    await pause(changesPauseMs, signal)
  }
  const ids = [...changed].sort((a, b) => a - b)
  await takeBatches(crawl, ids, { since: Date.now(), noteBatch: () => {} })
  if (crawl.report.failedBatches === 0) store.set('changeNumber', String(since))
  return true
}

/** Depots without an owner that were not tried lately. */
function orphans({ store, request }: Crawl): number[] {
  const now = Date.now()
  return request.depotIds.filter((depotId) => {
    if (store.hasOwner(depotId)) return false
    return now - Number(store.get(`orphan.${depotId}`) ?? 0) >= orphanMs
  })
}

/** Apps that may own a depot: Steam numbers most apps by tens, and depots after their app. */
const neighbours = [
  (id: number) => id - 1,
  (id: number) => id,
  (id: number) => id - 2,
  (id: number) => id - (id % 10),
  (id: number) => id - (id % 10) - 10,
]

/** Tries the apps beside each orphan's number. */
async function resolveOrphans(crawl: Crawl): Promise<void> {
  const { store, session, signal, say } = crawl
  const lost = orphans(crawl)
  if (lost.length === 0) return
  say({ phase: 'resolvingOrphans' })
  const tried = new Set<number>()
  for (const neighbour of neighbours) {
    const candidates = new Set(lost.filter((id) => !store.hasOwner(id)).map(neighbour))
    const ids = [...candidates].filter((id) => id > 0 && !tried.has(id))
    for (const group of inSlices(ids, groupSize)) {
      signal.throwIfAborted()
      const since = Date.now()
      store.addApps(await session.products(group), { source: orphanSource, since })
      for (const id of group) tried.add(id)
    }
  }
  for (const depotId of lost) {
    store.set(`orphan.${depotId}`, store.hasOwner(depotId) ? null : String(Date.now()))
  }
}

function begin(parts: CrawlParts, request: CrawlRequest): Crawl {
  const report: CrawlProgress = {
    phase: request.access.account === null ? 'connecting' : 'authenticating',
    ...noProgress,
    depotMappingsFound: parts.store.mappings(),
  }
  const say = (change: Partial<CrawlProgress>) => parts.progress(Object.assign(report, change))
  const session = createAlphaSession({ ...parts, access: request.access, changed: say })
  return { ...parts, request, session, report, say }
}

/** One crawl over Steam's product information. Failures are outcomes. */
export async function runCrawl(parts: CrawlParts, request: CrawlRequest): Promise<CrawlOutcome> {
  const crawl = begin(parts, request)
  const { session, signal, store, report, say } = crawl
  try {
    say({})
    if (request.kind === 'full') await crawlFull(crawl)
    if (request.kind === 'incremental' && !(await crawlChanges(crawl))) {
      return { kind: 'fullNeeded' }
    }
    await resolveOrphans(crawl)
    say({ phase: 'saving' })
    await writeList(parts)
    return { kind: 'done', mappings: store.mappings(), failedBatches: report.failedBatches }
  } catch (error) {
    if (signal.aborted) return { kind: 'cancelled' }
    const reason = errorText(error)
    return { kind: 'failed', reason, fault: faultOf(error) }
  } finally {
    await session.close()
  }
}
