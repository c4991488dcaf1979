import type { PendingRemoval, RemovalTarget } from '../../../db/state/schema/removals.ts'
import type { CacheParts } from '../parts.ts'
import { AppError } from '../../core/http/errors.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import { leftNode } from '../../engines/remote/hosts.ts'
import type { RemovalOutcome, WalkOutcome } from '../../engines/cache/contract.ts'
import { allBut, leftFacts, only, reachOf, type Reach, type WhenAway } from '../away/away.ts'
import type { Later, Part } from '../away/later.ts'
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

export interface RemovalRun {
  target: RemovalTarget
  /** Also removes the log lines of removed content. */
  purgesLogs: boolean
  /** Files that the request was made for; the walk before the removal may find more. */
  announcedFiles: number
  whenAway: WhenAway
  /** The part of a node that was away when the removal was requested. */
  part?: Part
  context: OperationContext
}

/** Throws the caller's errors before anything is queued, and again when the run starts. */
export async function checkGates(
  { datasources, nodeHosts }: CacheParts,
  { purgesLogs, whenAway, part }: Pick<RemovalRun, 'purgesLogs' | 'whenAway' | 'part'>,
): Promise<void> {
  const { has } = part === undefined ? reachOf(nodeHosts, whenAway) : only(part.datasources)
  await datasources.requireClearScheme()
  await datasources.requireWritable({ cache: true, logs: purgesLogs, has })
}

/**
 * Removes one game or service: first its files, then its log lines if requested, then its history.
 */
export async function runRemoval(
  deps: CacheParts,
  { pending, later }: { pending: PendingRemovals; later: Later },
  run: RemovalRun,
): Promise<OperationResult> {
  const { target, context, whenAway, part } = run
  const stage = (name: string) => stageOf(target, name)
  try {
    await checkGates(deps, run)
    const startedAt = Math.ceil(deps.clock.now().getTime() / 1000)
    context.report({ percentComplete: 5, stageKey: stage('db.querying') })
    const walked = await walk(deps, run)
    const found = await partsOf(deps, target, deps.ownersOf)
    // Once what the nodes hold was read: of one that went away meanwhile it is not known.
    const planned = part === undefined ? reachOf(deps.nodeHosts, whenAway) : only(part.datasources)
    requireWalked(walked, planned)
    const { parts, storedSince } = within(found, planned, part)
    if (context.signal.aborted) return { kind: 'cancelled' }
    const leave = (left: Reach['left']) => {
      if (whenAway !== 'later') return
      const work = { kind: 'removal', target, purgesLogs: run.purgesLogs } as const
      later.keep(left, { work, subject: parts.gameName })
    }
    leave(planned.left)
    // Demote first: if the service dies midway, no removal may rely on findings from before.
    await deps.cache.corruption.demoteScans({ methods: ['repeated_miss', 'structural'] })
    const files = await removeFiles(deps, run, { parts, reach: planned })
    if (files.result !== null) return files.result
    const { reach } = files
    if (reach !== planned) leave(reach.left)
    const askedAt = part === undefined ? startedAt : Math.floor(part.requestedAt.getTime() / 1000)
    const note: PendingRemoval = {
      id: context.operationId,
      action: 'delete',
      scope: target,
      titleKeys: parts.titleKeys.slice(0, titleKeysMax),
      keptTitleKeys: [...parts.shared.map(({ titleKey }) => titleKey), ...storedSince.titleKeys],
      endedBefore: askedAt - activeSeconds,
      evictedBefore: startedAt,
      within: reach.within,
    }
    pending.note(note)
    const purge = run.purgesLogs
      ? await purgeOrWithdraw(deps, pending, run, { parts, reach, kept: note.keptTitleKeys })
      : nothingPurged
    if (context.signal.aborted) {
      pending.withdraw(note.id)
      return { kind: 'cancelled', fields: { ...files.facts, ...purgeFacts(purge) } }
    }
    context.report({ percentComplete: 90, stageKey: stage('db.deleting') })
    const dbRecords = await pending.settle(note)
    const facts = {
      ...files.facts,
      ...purgeFacts(purge),
      ...leftFacts(reach, whenAway),
      ...(storedSince.files > 0 && { filesStoredSince: storedSince.files }),
      dbRecords: dbRecords ?? 0,
      isHistoryPending: dbRecords === null,
    }
    return { kind: 'completed', stageKey: stage('complete'), context: facts, fields: facts }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { kind: 'failed', error: error.message, stageKey: stage('error.fatal') }
  }
}

/** Includes files stored since the last walk. */
async function walk({ cache }: CacheParts, { part, context }: RemovalRun): Promise<WalkOutcome[]> {
  const { signal, report } = context
  const run = {
    signal,
    progress: ({ percentComplete }: { percentComplete: number }) =>
      report({ percentComplete: percentComplete / 20 + 5 }),
  }
  const outcomes: WalkOutcome[] = []
  for (const datasource of part?.datasources ?? [null]) {
    outcomes.push(...(await cache.walk({ datasource, depth: 'directories' }, run)))
  }
  return outcomes
}

/** Throws `invalid`: the index of a tree that could not be walked is not trusted. */
function requireWalked(outcomes: readonly WalkOutcome[], { has }: Reach): void {
  const failed = outcomes.find(({ state, datasource }) => state === 'failed' && has(datasource))
  if (failed === undefined) return
  const { datasource, problem } = failed
  const reason = problem ?? 'it could not be scanned'
  throw new AppError(
    'invalid',
    `Nothing was removed, because the cache of ${datasource} failed: ${reason}`,
  )
}

/**
 * The caches that are meant. Of a node that was away, titles that clients stored anew after the
 * request stay: whoever removes a game means the one of then.
 */
function within(found: TargetParts, { has }: Reach, part: Part | undefined) {
  const contents = found.contents.filter(({ datasource }) => has(datasource))
  const untilS = part === undefined ? Infinity : part.requestedAt.getTime() / 1000
  const since = contents.filter(({ lastStoredAt }) => lastStoredAt >= untilS)
  const titleKeys = new Set(since.map(({ titleKey }) => titleKey))
  const parts = { ...found, contents: contents.filter((one) => !since.includes(one)) }
  const files = since.reduce((sum, content) => sum + content.files, 0)
  return { parts, storedSince: { titleKeys, files } }
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

async function removeFiles(
  deps: CacheParts,
  run: RemovalRun,
  { parts, reach: planned }: { parts: TargetParts; reach: Reach },
) {
  const { target, context, whenAway } = run
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
  const reach = withoutLost(deps, planned, outcome)
  const [lost] = outcome.lost ?? []
  // A node that went away is left like those that were away before, if that may be.
  const isLeft = run.part === undefined && whenAway !== 'refuse' && reach !== planned
  const result =
    lost === undefined || isLeft
      ? resultOf(outcome, facts)
      : resultOf({ state: 'failed', problem: lost.problem }, facts)
  return { facts, reach, result }
}

/** The nodes that answered to the end. */
function withoutLost(
  { nodeHosts }: CacheParts,
  planned: Reach,
  { lost = [] }: RemovalOutcome,
): Reach {
  const names = lost.flatMap(({ datasources }) => datasources)
  if (names.length === 0) return planned
  const hosts = nodeHosts
    .all()
    .filter((host) => host.datasources().some((one) => names.includes(one)))
  return allBut([...planned.left, ...hosts.map(leftNode)])
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
  purged: { parts: TargetParts; reach: Reach; kept: readonly string[] },
): Promise<Purge> {
  const { target, context } = run
  context.report({ percentComplete: 75, stageKey: stageOf(target, 'logs.removing') })
  const purge = await purgeLogs(deps, { target, context, ...purged })
  if (purge.left.length === 0) return purge
  try {
    await deps.datasources.requireWritable({ logs: true, has: purged.reach.has })
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
