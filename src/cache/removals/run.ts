import type { PendingRemoval, RemovalTarget } from '../../../db/state/schema/removals.ts'
import type { CacheParts } from '../parts.ts'
import { HistoryUnavailable } from '../../../db/history/history.ts'
import { AppError } from '../../core/http/errors.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import { nothingPurged, purgeFacts, purgeLogs, type Purge } from './log-lines.ts'
import type { PendingRemovals } from './pending.ts'
import { partsOf, type TargetParts } from './target.ts'

/** Titles in a note for the history; the rest are found through the game itself. */
const titleKeysMax = 1000
/** A download that ended less than this long ago counts as still running; seconds. */
const activeSeconds = 300
const bytesPerGb = 1024 ** 3

const groups = {
  alpha: 'gameRemove',
  beta: 'betaRemove',
  named: 'namedRemove',
  service: 'serviceRemove',
}
const stageOf = (target: RemovalTarget, name: string) => `signalr.${groups[target.kind]}.${name}`

interface RemovalRun {
  target: RemovalTarget
  /** Also removes the log lines of removed content. */
  purgesLogs: boolean
  /** Files that the request was made for; the walk before the removal may find more. */
  announcedFiles: number
  context: OperationContext
}

/** Throws the caller's errors before anything is queued, and again when the run starts. */
export async function checkGates({ datasources }: CacheParts, purgesLogs: boolean): Promise<void> {
  await datasources.requireClearScheme()
  await datasources.requireWritable({ cache: true, logs: purgesLogs })
}

/**
 * Removes one game or service: first its files, then its log lines if requested, then its history.
 */
export async function runRemoval(
  deps: CacheParts,
  pending: PendingRemovals,
  run: RemovalRun,
): Promise<OperationResult> {
  const { target, context } = run
  const stage = (name: string) => stageOf(target, name)
  try {
    await checkGates(deps, run.purgesLogs)
    const startedAt = Math.ceil(deps.clock.now().getTime() / 1000)
    context.report({ percentComplete: 5, stageKey: stage('db.querying') })
    await refreshIndex(deps, context)
    const parts = await partsOf(deps, target, deps.ownersOf)
    if (context.signal.aborted) return { kind: 'cancelled' }
    // Demote first: if the service dies midway, no removal may rely on findings from before.
    await deps.cache.corruption.demoteScans({ methods: ['repeated_miss', 'structural'] })
    const files = await removeFiles(deps, run, parts)
    if (files.result !== null) return files.result
    const note: PendingRemoval = {
      id: context.operationId,
      action: 'delete',
      scope: target,
      titleKeys: parts.titleKeys.slice(0, titleKeysMax),
      keptTitleKeys: parts.shared.map(({ titleKey }) => titleKey),
      endedBefore: startedAt - activeSeconds,
      evictedBefore: startedAt,
    }
    pending.note(note)
    const purge = run.purgesLogs ? await purgeOrWithdraw(deps, pending, run, parts) : nothingPurged
    if (context.signal.aborted) {
      pending.withdraw(note.id)
      return { kind: 'cancelled', fields: { ...files.facts, ...purgeFacts(purge) } }
    }
    context.report({ percentComplete: 90, stageKey: stage('db.deleting') })
    const dbRecords = await pending.settle(note)
    const facts = {
      ...files.facts,
      ...purgeFacts(purge),
      dbRecords: dbRecords ?? 0,
      isHistoryPending: dbRecords === null,
    }
    return { kind: 'completed', stageKey: stage('complete'), context: facts, fields: facts }
  } catch (error) {
    const isExplained = error instanceof AppError || error instanceof HistoryUnavailable
    if (!isExplained) throw error
    return { kind: 'failed', error: error.message, stageKey: stage('error.fatal') }
  }
}

/**
 * Includes files stored since the last walk. Throws `invalid` when a tree could not be walked: its
 * index cannot be trusted, and nothing is removed.
 */
async function refreshIndex(
  { cache }: CacheParts,
  { signal, report }: OperationContext,
): Promise<void> {
  const outcomes = await cache.walk(
    { datasource: null, depth: 'directories' },
    {
      signal,
      progress: ({ percentComplete }) => report({ percentComplete: percentComplete / 20 + 5 }),
    },
  )
  const failed = outcomes.find(({ state }) => state === 'failed')
  if (failed === undefined) return
  const { datasource, problem } = failed
  const reason = problem ?? 'it could not be scanned'
  throw new AppError(
    'invalid',
    `Nothing was removed, because the cache of ${datasource} failed: ${reason}`,
  )
}

/** Members of the events and of the stage's text. */
export const factsOf = (
  target: RemovalTarget,
  parts: Pick<TargetParts, 'gameName' | 'betaAppId'>,
) => ({
  gameName: parts.gameName,
  gameAppId: target.kind === 'alpha' ? target.appId : null,
  betaAppId: parts.betaAppId,
  service: target.kind === 'named' || target.kind === 'service' ? target.service : null,
  ...(target.kind === 'service' ? { serviceName: target.service } : {}),
  entityKind: target.kind,
})

async function removeFiles(deps: CacheParts, run: RemovalRun, parts: TargetParts) {
  const { target, context } = run
  const { cache, settings } = deps
  const stage = (name: string) => stageOf(target, name)
  const own = factsOf(target, parts)
  const total = parts.contents.reduce((sum, { files }) => sum + files, 0)
  const name = total === 0 ? 'noUrls' : 'cache.removing'
  context.report({ percentComplete: 10, stageKey: stage(name), context: { ...own, count: total } })
  const outcome = await cache.remove(
    { kind: 'contents', contentIds: parts.contents.map(({ id }) => id) },
    {
      signal: context.signal,
      progress({ filesDone, filesTotal, bytesFreed }) {
        const share = filesDone / Math.max(1, filesTotal)
        const counts = {
          ...own,
          n: filesDone,
          total: filesTotal,
          filesDeleted: filesDone,
          bytesFreed,
        }
        context.report({
          percentComplete: 10 + 60 * share,
          stageKey: stage('cache.file.progress'),
          context: counts,
          fields: counts,
        })
      },
    },
    {
      removesEmptyFolders: settings.get('cache.deleteMode') === 'full',
      networkDatasources: await networkNames(deps),
    },
  )
  const { filesDeleted, bytesFreed } = outcome
  const facts = {
    ...own,
    filesDeleted,
    bytesFreed,
    files: filesDeleted,
    gb: Math.round((100 * bytesFreed) / bytesPerGb) / 100,
    filesAdded: Math.max(0, total - run.announcedFiles),
    filesChanged: outcome.filesChanged,
    alreadyMissing: outcome.alreadyMissing,
    directoriesRemoved: outcome.directoriesRemoved,
    sharedDepots: parts.shared.length,
  }
  return { facts, result: resultOf(outcome, facts) }
}

/** Null when the removal continues. */
function resultOf(
  { state, problem }: { state: string; problem: string | null },
  fields: Record<string, unknown>,
): OperationResult | null {
  if (state === 'cancelled') return { kind: 'cancelled', fields }
  if (state !== 'failed') return null
  return { kind: 'failed', error: problem ?? 'Files could not be removed', fields }
}

/** If the logs may not be changed, the removal ends before the history is touched. */
async function purgeOrWithdraw(
  deps: CacheParts,
  pending: PendingRemovals,
  run: RemovalRun,
  parts: TargetParts,
): Promise<Purge> {
  const { target, context } = run
  context.report({ percentComplete: 75, stageKey: stageOf(target, 'logs.removing') })
  const purge = await purgeLogs(deps, { ...run, parts })
  if (purge.left.length === 0) return purge
  try {
    await deps.datasources.requireWritable({ logs: true })
    return purge
  } catch (error) {
    pending.withdraw(context.operationId)
    throw error
  }
}

async function networkNames({ datasources }: Pick<CacheParts, 'datasources'>): Promise<string[]> {
  const all = await datasources.all()
  return all.filter(({ filesystem }) => /nfs|cifs/.test(filesystem)).map(({ name }) => name)
}
