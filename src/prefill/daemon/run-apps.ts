import type { ServerAddress } from '../../core/lib/cache-network.ts'
import type { Progress, RunNames } from '../protocol/progress.ts'
import type { CacheClient } from './content/cache-client.ts'
import { CacheNotFound } from './content/cache-address.ts'
import type { CacheGate } from './content/cache-gate.ts'
import { download, type Downloaded } from './content/download.ts'
import { openJournal } from './content/journal.ts'
import type { Meter } from './content/meter.ts'
import type { AppFilter, AppPlan, AppVersion, Engine } from './engine.ts'
import type { DaemonStore } from './store.ts'
import { errorText } from '../../core/lib/error-text.ts'

export interface RunRequest {
  names: RunNames
  /** Overrides filter and selection; null: not given. */
  appIds: string[] | null
  filter: AppFilter
  /** Also what is up to date. */
  force: boolean
  systems: string[]
  /** Requests at the same time; null: as many as usual. */
  parallel: number | null
  /** Versions that the manager knows to be in the cache, by app. */
  known: ReadonlyMap<string, readonly string[]>
  /** Where content is requested; null: the usual cache. */
  cache: ServerAddress | null
}

/** A state, and the members of a progress event that it needs. */
export type ProgressPart = Partial<Progress> & Pick<Progress, 'state'>

export interface RunContext {
  request: RunRequest
  engine: Engine
  store: DaemonStore
  meter: Meter
  signal: AbortSignal
  tell: (progress: ProgressPart) => void
  /** The connection to the cache, opened on the first call; rejects with CacheNotFound. */
  client: () => Promise<CacheClient>
  /** What is known about the cache; null: nothing was requested. */
  gate: () => CacheGate | null
}

const tickMs = 250
/** Events without new bytes, so that a paused run is seen to be alive. */
const quietTickMs = 5000
const parallelMax = 64
/** Games in a row that only got errors; each has waited for minutes, so the run ends. */
const failingGamesMax = 3

/** Whether all versions of an app were downloaded before. */
export function isUpToDate(
  { versions }: AppVersion,
  ...known: (readonly string[] | undefined)[]
): boolean {
  const downloaded = new Set(known.flatMap((list) => list ?? []))
  return versions.length > 0 && versions.every((version) => downloaded.has(version))
}

/**
 * Calls `report` at once, and while `work` lasts: soon after new bytes and when the cache goes away
 * or comes back, otherwise seldom. Its last bytes are reported too: the end of an app that fails, and
 * of a run that is cancelled, names none.
 */
async function reporting<T>(
  { meter, gate }: RunContext,
  report: () => void,
  work: () => Promise<T>,
): Promise<T> {
  let last = ''
  let lastMs = 0
  const tick = () => {
    const nowMs = performance.now()
    const news = `${meter.appBytes} ${gate()?.waiting?.since.getTime()}`
    if (news === last && nowMs - lastMs < quietTickMs) return
    last = news
    lastMs = nowMs
    report()
  }
  tick()
  const timer = setInterval(tick, tickMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    tick()
  }
}

/** Members of the state `downloading`. */
function downloading(meter: Meter, plannedBytes: number): ProgressPart {
  const { appBytes: bytesDownloaded } = meter
  const totalBytes = Math.max(plannedBytes, bytesDownloaded)
  const share = totalBytes === 0 ? 0 : bytesDownloaded / totalBytes
  const percentComplete = Math.floor(1000 * share) / 10
  const bytesPerSecond = meter.rate()
  return { state: 'downloading', totalBytes, bytesDownloaded, percentComplete, bytesPerSecond }
}

/** Lists the contents of an app. That may itself take minutes, in which a manager must see life. */
function planApp(context: RunContext, appId: string, app: Partial<Progress>): Promise<AppPlan> {
  const { request, engine, meter, signal, client, tell } = context
  let message = `Preparing ${app.currentAppName}`
  const report = () => tell({ ...app, state: 'preparing', message, bytesPerSecond: meter.rate() })
  const preparing = (text: string) => {
    message = text
    report()
  }
  const options = { signal, systems: request.systems, client, meter, preparing }
  return reporting(context, report, () => engine.plan(appId, options))
}

/** Downloads the objects of an app; what an interrupted run has finished is skipped. */
async function fetchAll(
  { request, engine, store, meter, signal, client }: RunContext,
  appId: string,
  { plan, version }: { plan: AppPlan; version: AppVersion },
): Promise<Downloaded> {
  const identity = JSON.stringify([version.versions, request.systems])
  const journal = openJournal(store.journalPath(appId), { identity, isFresh: request.force })
  let isComplete = false
  try {
    const parallel = Math.min(request.parallel ?? engine.parallel, parallelMax)
    const bypass = engine.bypassesCache ? (request.force ? 'always' : 'retries') : 'never'
    const options = { client: await client(), signal, meter, journal, parallel, bypass } as const
    const probed = await download(plan.probes ?? [], options)
    const rest = await download(plan.objects, options)
    const failed = probed.failed + rest.failed
    isComplete = failed === 0
    return { failed, reason: probed.reason ?? rest.reason }
  } finally {
    if (isComplete) journal.finish()
    else journal.close()
  }
}

type Outcome = 'updated' | 'upToDate' | 'unavailable'

/** Downloads one app, unless it is up to date. Rejects when a part of it failed. */
async function runApp(context: RunContext, appId: string, counts: Partial<Progress>) {
  const { request, engine, store, meter, signal } = context
  meter.startApp()
  const version = await engine.version(appId, signal, request.systems)
  const app = { ...counts, currentAppId: appId, currentAppName: version.name }
  const before = store.prefilled(appId)
  const ended = (outcome: Outcome, last: ProgressPart) => ({ outcome, last: { ...app, ...last } })
  if (!request.force && isUpToDate(version, before?.versions, request.known.get(appId))) {
    const totalBytes = before?.bytes ?? 0
    return ended('upToDate', { state: 'already_cached', result: 'AlreadyUpToDate', totalBytes })
  }
  const plan = await planApp(context, appId, app)
  if (plan.unavailable !== null) {
    const message = plan.unavailable.reason
    const result = 'NoDepotsToDownload'
    return ended('unavailable', { state: 'app_completed', result, message })
  }
  // What the plan itself fetched counts for the run, not for the app's progress.
  meter.startApp()
  const report = () => context.tell({ ...app, ...downloading(meter, plan.totalBytes) })
  const { failed, reason } = await reporting(context, report, () =>
    fetchAll(context, appId, { plan, version }),
  )
  const problems = [...(plan.problems ?? [])]
  if (failed > 0) problems.unshift(`${failed} requests failed; the first: ${reason ?? 'unknown'}`)
  if (problems.length > 0) throw new Error(problems.join('; '))
  const bytes = meter.appBytes
  store.setPrefilled(appId, { versions: version.versions, bytes })
  return ended('updated', {
    state: 'app_completed',
    result: 'Success',
    totalBytes: bytes,
    bytesDownloaded: bytes,
    percentComplete: 100,
    depots: plan.depots,
  })
}

async function appsOf({ request, engine, store, signal }: RunContext): Promise<string[]> {
  if (request.appIds !== null) return request.appIds
  const { all, recent, recentlyPurchased, top } = request.filter
  const isFiltered = all || recent || recentlyPurchased || top !== null
  return isFiltered ? engine.choose(request.filter, signal) : store.selected()
}

/**
 * Downloads one app after another and resolves to the terminal progress. Rejects when the run cannot
 * go on; an app that fails is counted.
 */
export async function runApps(
  context: RunContext,
  log: (error: unknown) => void,
): Promise<ProgressPart> {
  const appIds = await appsOf(context)
  const counts = { totalApps: appIds.length, updatedApps: 0, alreadyUpToDate: 0, failedApps: 0 }
  let failingInRow = 0
  for (const appId of appIds) {
    context.signal.throwIfAborted()
    context.gate()?.nextGame()
    const before = context.gate()?.failing ?? null
    try {
      const { outcome, last } = await runApp(context, appId, counts)
      if (outcome === 'updated') {
        counts.updatedApps++
        failingInRow = 0
      }
      if (outcome === 'upToDate') counts.alreadyUpToDate++
      context.tell({ ...last, ...counts })
    } catch (error) {
      if (context.signal.aborted || error instanceof CacheNotFound) throw error
      counts.failedApps++
      log(error)
      const errorMessage = errorText(error)
      const failed = { state: 'app_completed', result: 'Failed', errorMessage } as const
      context.tell({ currentAppId: appId, ...counts, ...failed })
      const failing = context.gate()?.failing ?? null
      if (failing === null) failingInRow = 0
      // One that failed for another reason, without a request, says nothing about the server.
      else if (failing !== before) failingInRow++
      if (failingInRow < failingGamesMax) continue
      const reason = `${failingInRow} games in a row failed. ${failing}`
      throw new Error(reason, { cause: error })
    }
  }
  context.signal.throwIfAborted()
  const message = appIds.length === 0 ? 'No apps are selected' : 'Prefill completed'
  return { ...counts, state: 'completed', message }
}
