import type { EvictedScope } from '../../../db/state/schema/removals.ts'
import type { CacheParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import {
  OperationRefused,
  type Named,
  type OperationContext,
  type OperationResult,
  type Queued,
} from '../../core/operations/contract.ts'
import { named } from '../../core/operations/names.ts'
import type { WhenAway } from '../away/away.ts'
import type { Later, LaterJobs, Part } from '../away/later.ts'
import { countEvicted } from './removal-store.ts'
import { removeEvicted } from './removal.ts'
import { restoreFound, scanEvictions, type ScanOutcome } from './scan.ts'
import { batchSize, resetSlice } from './store.ts'

/** Scheduled scans; whether they are shown is a setting of the schedule. */
export const evictionSchedule = 'cacheReconciliation'

const stage = (name: string) => `signalr.evictionScan.${name}`

/** Evicted downloads: finds them, and removes their records. */
export interface Eviction {
  /** Starts the schedule. */
  start(): void
  /** Throws `invalid` unless every datasource has a clear key scheme. */
  checkSchemes(): Promise<void>
  scan(options: { isSilent: boolean }): Queued
  /** Evicted downloads of a scope. Rejects with HistoryUnavailable. */
  count(scope: EvictedScope): Promise<number>
  removeAll(how: How): Queued
  /** `subject`: what the removal is called on a node. */
  remove(
    removal: How & {
      scope: EvictedScope
      operationScope: string
      name: Named
      subject: string
      /** The part of a node that is back. */
      part?: Part
    },
  ): Queued
  takeUp: LaterJobs['evicted']
  /**
   * Clears the flag of downloads with a cache file in the index again; returns how many. Rejects
   * with HistoryUnavailable.
   */
  restoreFound(signal: AbortSignal): Promise<number>
  /** Clears all flags; returns how many were set. Rejects with HistoryUnavailable. */
  reset(): Promise<number>
  /** Drops cached answers. */
  changed(reason: string): void
}

interface How {
  purgesLogs: boolean
  /** Null: rows of all datasources, and the log lines that can be reached. */
  whenAway: WhenAway | null
}
export const everywhere = { purgesLogs: true, whenAway: null }

const bulk = { scope: { kind: 'bulk' }, operationScope: 'bulk' } as const

/** Starts a removal. */
const createRemove =
  (deps: CacheParts & { later: Later }, changed: (reason: string) => void): Eviction['remove'] =>
  ({ operationScope, name, subject, ...how }) => {
    const { scope, whenAway, part } = how
    const announced = countOf(deps.history, scope).catch(() => null)
    return deps.operations.submit({
      type: 'evictionRemoval',
      scope: operationScope,
      variant: part?.variant ?? (whenAway === 'refuse' || whenAway === null ? '' : whenAway),
      ...name,
      events: { prefix: 'EvictionRemoval', startedFields: gameOf(scope) },
      async run(context) {
        try {
          const removal = { ...how, subject, announced: await announced, context }
          return await failingWhileAway(removeEvicted(deps, removal))
        } finally {
          changed('eviction-removal')
        }
      },
    })
  }

export function createEviction(
  deps: CacheParts & { later: Later },
  reports: { dropAll(): void },
): Eviction {
  const { cache, history, settings, operations, hub, schedules } = deps

  function changed(reason: string): void {
    reports.dropAll()
    hub.publish('DownloadsRefresh', { reason })
  }

  async function counted(reason: string, marks: Promise<number>): Promise<number> {
    const total = await marks
    if (total > 0) changed(reason)
    return total
  }

  async function runScan(context: OperationContext): Promise<OperationResult> {
    const outcome = await scanAndReport(deps, context)
    const marked = outcome.totalEvicted + outcome.totalUnEvicted + outcome.totalPruned
    if (marked > 0) changed('eviction-scan')
    if (outcome.state === 'completed' && settings.get('eviction.mode') === 'remove') {
      removeWhatIsLeft(deps, await countOf(history, { kind: 'bulk' }), () => removeAll(everywhere))
    }
    return resultOf(outcome)
  }

  const scan = ({ isSilent }: { isSilent: boolean }) =>
    operations.submit({
      type: 'evictionScan',
      scope: 'bulk',
      ...named('evictionScan'),
      isSilent,
      events: { prefix: 'EvictionScan', showNotification: !isSilent },
      run: (context) => failingWhileAway(runScan(context)),
      kill: () => cache.forceKill(),
    })

  const remove = createRemove(deps, changed)

  const removeAll = (how: How) =>
    remove({ ...bulk, name: named('evictedRemovalAll'), subject: '', ...how })

  const takeUp: LaterJobs['evicted'] = ({ scope, purgesLogs }, part) => {
    const { name, subject } = part
    const operationScope = subject === '' ? scope.kind : `${scope.kind}:${subject}`
    return remove({ scope, operationScope, name, subject, purgesLogs, whenAway: 'refuse', part })
  }

  return {
    start: () =>
      schedules.register({
        serviceKey: evictionSchedule,
        intervalHours: 6,
        runOnStartup: false,
        card: { notificationMode: 'manual', operationType: 'evictionScan' },
        run: (_trigger, { isSilent }) => scan({ isSilent }),
      }),
    checkSchemes: () => deps.datasources.requireClearScheme(),
    scan,
    count: (scope) => countOf(history, scope),
    remove,
    removeAll,
    takeUp,
    changed,
    restoreFound: (signal) => counted('found-again', restoreFound(deps, signal)),
    reset: () => counted('eviction-reset', resetAll(history)),
  }
}

const countOf = (history: CacheParts['history'], scope: EvictedScope): Promise<number> =>
  history.read((_db, sql) => countEvicted(sql, scope))

/** The game of a removal, for its events. */
const gameOf = (scope: EvictedScope) => ({
  gameName: scope.kind === 'named' ? scope.gameName : null,
  gameAppId: scope.kind === 'alpha' ? scope.appId : null,
  betaAppId: scope.kind === 'beta' ? scope.betaAppId : null,
})

/**
 * Includes what an earlier removal did not reach; the scan's result stands whatever happens here.
 */
function removeWhatIsLeft({ log }: CacheParts, left: number, removeAll: () => Queued): void {
  if (left === 0) return
  try {
    removeAll()
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error
    log.warn({ err: error }, 'evicted downloads were not removed')
  }
}

/** A job fails with that reason while a node that it needs is away. */
async function failingWhileAway(job: Promise<OperationResult>): Promise<OperationResult> {
  try {
    return await job
  } catch (error) {
    if (error instanceof AppError) return { kind: 'failed', error: error.message }
    throw error
  }
}

function scanAndReport(deps: CacheParts, context: OperationContext): Promise<ScanOutcome> {
  const { cache, history, clock, settings } = deps
  context.report({ stageKey: stage('scanning'), percentComplete: 0 })
  return scanEvictions(
    { cache, history, now: () => clock.now() },
    {
      prunesOrphans: settings.get('eviction.prunesOrphans'),
      signal: context.signal,
      progress({ stage: name, percentComplete, ...counts }) {
        const { totalProcessed: processed, totalEstimate } = counts
        const fields = { ...counts, processed, totalEstimate }
        context.report({ stageKey: stage(name), percentComplete, context: counts, fields })
      },
    },
  )
}

/** Clears all flags in bounded slices. */
async function resetAll(history: CacheParts['history']): Promise<number> {
  let total = 0
  for (;;) {
    const count = await history.read((_db, sql) => resetSlice(sql))
    total += count
    if (count < batchSize) return total
  }
}

function resultOf(outcome: ScanOutcome): OperationResult {
  const { state, reason, ...counts } = outcome
  const fields = {
    ...counts,
    processed: counts.totalProcessed,
    evicted: counts.totalEvicted,
    unEvicted: counts.totalUnEvicted,
    prunedOrphans: counts.totalPruned,
  }
  if (state === 'cancelled') return { kind: 'cancelled', fields }
  if (state === 'abstained') {
    return { kind: 'skipped', message: reason ?? 'The cache could not be scanned' }
  }
  return { kind: 'completed', stageKey: stage('complete'), context: counts, fields }
}
