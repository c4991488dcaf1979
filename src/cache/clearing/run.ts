import { availableParallelism } from 'node:os'
import { added } from '../../core/lib/added.ts'
import { clearingProblem } from '../../core/lib/overlap.ts'
import type { DatasourceFacts } from '../datasources/contract.ts'
import type { CacheParts } from '../parts.ts'
import { refreshIndex } from '../info/refresh-index.ts'
import type { ClearProgress, DeleteMode } from '../../engines/cache/contract.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import { AppError } from '../../core/http/errors.ts'
import { leftFacts, only, reachOf, type Reach, type WhenAway } from '../away/away.ts'
import type { Later, Part } from '../away/later.ts'
import type { PendingRemovals } from '../removals/pending.ts'

const stage = (name: string) => `signalr.cacheClear.${name}`

/** First-level directories processed in parallel: network disks get slower with more. */
function threadsFor(mode: DeleteMode, isNetwork: boolean) {
  const cpus = availableParallelism()
  if (isNetwork) return mode === 'rsync' ? Math.min(cpus, 4) : 2
  if (mode === 'preserve') return Math.min(2 * cpus, 16)
  return Math.min(cpus, mode === 'full' ? 8 : 6)
}

type Counts = Omit<ClearProgress, 'activeDirectories'>
const none: Counts = {
  directoriesProcessed: 0,
  totalDirectories: 0,
  filesDeleted: 0,
  bytesDeleted: 0,
}

/** Checked when the run begins: links and permissions may have changed while it was queued. */
function refusalOf(
  { config }: CacheParts,
  targets: readonly DatasourceFacts[],
  needed: readonly string[],
): string | null {
  if (targets.length === 0) return 'No cache folder is writable'
  const missing = needed.find((wanted) => !targets.some(({ name }) => name === wanted))
  if (missing !== undefined) return `The cache folder of ${missing} is not writable`
  return targets.flatMap((target) => clearingProblem(config, target) ?? [])[0] ?? null
}

/** The caches to clear; a text: why none is. */
function reachedBy(
  { nodeHosts }: CacheParts,
  { datasource, whenAway, part }: Pick<ClearingRun, 'datasource' | 'whenAway' | 'part'>,
): Reach | string {
  const names = part?.datasources ?? (datasource === null ? null : [datasource])
  try {
    if (names === null) return reachOf(nodeHosts, whenAway)
    reachOf(nodeHosts, 'refuse', (name) => names.includes(name))
    return only(names)
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

/** The caches to clear and the nodes that are left; a text: why nothing is cleared. */
async function choose(
  deps: CacheParts,
  run: Pick<ClearingRun, 'datasource' | 'whenAway' | 'part'>,
): Promise<{ reach: Reach; targets: DatasourceFacts[] } | string> {
  const { datasources } = deps
  const { datasource, whenAway, part } = run
  const reach = reachedBy(deps, run)
  if (typeof reach === 'string') return reach
  const all = datasource === null ? await datasources.all() : [await datasources.facts(datasource)]
  const targets = all.filter(({ name, canWriteCache }) => canWriteCache && reach.has(name))
  const isAllLater = targets.length === 0 && whenAway === 'later' && reach.left.length > 0
  const refusal = isAllLater ? null : refusalOf(deps, targets, part?.datasources ?? [])
  return refusal ?? { reach, targets }
}

interface ClearingRun {
  /** Null for all. */
  datasource: string | null
  /** Files that the request was made for; null: unknown. */
  announcedFiles: number | null
  whenAway: WhenAway
  /** The caches of a node that is back. */
  part?: Part
  context: OperationContext
}

/** Clears the caches one after another; skips those that are not writable. */
export async function runClearing(
  deps: CacheParts,
  { pending, later }: { pending: PendingRemovals; later: Later },
  { datasource, announcedFiles, whenAway, part, context }: ClearingRun,
): Promise<OperationResult> {
  const { cache, settings, clock } = deps
  const startedAt = Math.ceil(clock.now().getTime() / 1000)
  const startedMs = clock.elapsedMs()
  const mode = settings.get('cache.deleteMode')
  context.report({ percentComplete: 0, stageKey: stage('starting') })
  const chosen = await choose(deps, { datasource, whenAway, part })
  if (typeof chosen === 'string') {
    return { kind: 'failed', error: chosen, stageKey: stage('error.fatal') }
  }
  const { reach, targets } = chosen
  if (whenAway === 'later') later.keep(reach.left, { work: { kind: 'clearing' }, subject: '' })
  // Demote first: if the service dies midway, no removal may rely on findings from before.
  await cache.corruption.demoteScans({ methods: ['repeated_miss', 'structural'] })
  let sum = none
  /** Null when a disk's free space could not be read. */
  let freeSpaceGained: number | null = 0
  let entriesLeft = 0
  for (const [done, target] of targets.entries()) {
    const before = sum
    const outcome = await cache.clear(
      { datasource: target.name, mode, threads: threadsFor(mode, isNetwork(target)) },
      {
        signal: context.signal,
        progress(counts) {
          const share = counts.directoriesProcessed / Math.max(1, counts.totalDirectories)
          const facts = { ...added(before, counts), activeDirectories: counts.activeDirectories }
          context.report({
            percentComplete: (95 * (done + share)) / targets.length,
            stageKey: stage('progress'),
            context: {
              ...facts,
              processed: facts.directoriesProcessed,
              totalDirs: facts.totalDirectories,
              activeCount: counts.activeDirectories,
            },
            fields: facts,
          })
        },
      },
    )
    sum = added(before, outcome)
    entriesLeft += outcome.entriesLeft
    const gained = outcome.freeSpaceGained
    freeSpaceGained = freeSpaceGained === null || gained === null ? null : freeSpaceGained + gained
    const facts = { ...sum, entriesLeft, freeSpaceGained }
    context.report({ context: facts, fields: facts })
    if (outcome.state === 'cancelled') return { kind: 'cancelled', fields: facts }
    if (outcome.state === 'failed') {
      const error = outcome.problem ?? 'The cache could not be cleared'
      return { kind: 'failed', error, stageKey: stage('error.fatal'), fields: facts }
    }
  }
  if (targets.length > 0)
    await forget(deps, pending, { targets, id: context.operationId, endedBefore: startedAt })
  const facts = {
    ...sum,
    filesAdded: Math.max(0, sum.filesDeleted - (announcedFiles ?? sum.filesDeleted)),
    entriesLeft,
    freeSpaceGained,
    ...leftFacts(reach, whenAway),
    datasources: targets.length,
    datasourcesCleared: targets.length,
    /** Seconds. */
    duration: Math.round((clock.elapsedMs() - startedMs) / 1000),
  }
  return { kind: 'completed', stageKey: stage('complete'), context: facts, fields: facts }
}

const isNetwork = ({ filesystem }: DatasourceFacts): boolean => /nfs|cifs/.test(filesystem)

/** Forgets the index entries of deleted files; the walk that follows accepts the empty tree. */
async function forget(
  { cache, settings, log }: CacheParts,
  pending: PendingRemovals,
  { targets, id, endedBefore }: { targets: DatasourceFacts[]; id: string; endedBefore: number },
): Promise<void> {
  const datasources = targets.map(({ name }) => name.toLowerCase())
  await pending.settle({ id, action: 'evict', datasources, endedBefore })
  await cache.corruption.clearScans()
  settings.clear('detection.last')
  for (const { name } of targets) await refreshIndex({ cache, log }, name, { accept: true })
}
