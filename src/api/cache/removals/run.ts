import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import type { OperationContext, OperationResult } from '../../../operations/contract.ts'
import type { PendingRemovals } from './pending.ts'
import { partsOf, type RemovalTarget, type TargetParts } from './target.ts'

/** Titles that a note of the history names; more are found by the game itself. */
const titleKeysMax = 1000
/** A download that ended less than this before is still under way; seconds. */
const activeSeconds = 300
const bytesPerGb = 1024 ** 3

const groups = {
  alpha: 'gameRemove',
  beta: 'betaRemove',
  named: 'namedRemove',
  service: 'serviceRemove',
}

interface RemovalRun {
  target: RemovalTarget
  /** Also drops the log lines of what was removed. */
  purgesLogs: boolean
  context: OperationContext
}

/** Throws what the caller is told before anything is queued, and again when it starts. */
export async function checkGates({ datasources }: Deps, purgesLogs: boolean): Promise<void> {
  await datasources.requireClearScheme()
  await datasources.requireWritable({ cache: true, logs: purgesLogs })
}

/** Removes one game or service: its files first, then its log lines when asked, then its history. */
export async function runRemoval(
  deps: Deps,
  pending: PendingRemovals,
  run: RemovalRun,
): Promise<OperationResult> {
  const { target, context } = run
  const stage = (name: string) => `signalr.${groups[target.kind]}.${name}`
  try {
    await checkGates(deps, run.purgesLogs)
    const startedAt = Math.floor(deps.clock.now().getTime() / 1000)
    context.report({ percentComplete: 5, stageKey: stage('db.querying') })
    await refreshIndex(deps, context)
    const parts = await partsOf(deps, target)
    if (context.signal.aborted) return { kind: 'cancelled' }
    const files = await removeFiles(deps, run, parts)
    if (files.result !== null) return files.result
    const logLines = run.purgesLogs ? await purgeLogs(deps, run, parts) : 0
    if (context.signal.aborted) return { kind: 'cancelled', fields: files.facts }
    context.report({ percentComplete: 90, stageKey: stage('db.deleting') })
    const dbRecords = await pending.settle({
      id: context.operationId,
      action: 'delete',
      scope: target,
      titleKeys: parts.titleKeys.slice(0, titleKeysMax),
      endedBefore: startedAt - activeSeconds,
    })
    await deps.cache.corruption.demoteScans({ methods: ['repeated_miss', 'structural'] })
    const facts = {
      ...files.facts,
      logEntries: logLines,
      dbRecords: dbRecords ?? 0,
      isHistoryPending: dbRecords === null,
    }
    return { kind: 'completed', stageKey: stage('complete'), context: facts, fields: facts }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { kind: 'failed', error: error.message, stageKey: stage('error.fatal') }
  }
}

/** What was stored since the last look is meant too; a tree that fails is left as it is known. */
async function refreshIndex({ cache }: Deps, { signal, report }: OperationContext): Promise<void> {
  await cache.walk(
    { datasource: null, depth: 'directories' },
    {
      signal,
      progress: ({ percentComplete }) => report({ percentComplete: percentComplete / 20 + 5 }),
    },
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
  entityKind: target.kind,
})

async function removeFiles(deps: Deps, { target, context }: RemovalRun, parts: TargetParts) {
  const { cache, settings } = deps
  const stage = (name: string) => `signalr.${groups[target.kind]}.${name}`
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
    filesChanged: outcome.filesChanged,
    alreadyMissing: outcome.alreadyMissing,
    directoriesRemoved: outcome.directoriesRemoved,
  }
  return { facts, result: resultOf(outcome, facts) }
}

/** Null: the removal goes on. */
function resultOf(
  { state, problem }: { state: string; problem: string | null },
  fields: Record<string, unknown>,
): OperationResult | null {
  if (state === 'cancelled') return { kind: 'cancelled', fields }
  if (state !== 'failed') return null
  return { kind: 'failed', error: problem ?? 'Files could not be removed', fields }
}

async function networkNames({ datasources }: Pick<Deps, 'datasources'>): Promise<string[]> {
  const all = await datasources.all()
  return all.filter(({ filesystem }) => /nfs|cifs/.test(filesystem)).map(({ name }) => name)
}

/** Best effort: a log that cannot be written is told in the service's log and left as it is. */
async function purgeLogs(deps: Deps, run: RemovalRun, parts: TargetParts): Promise<number> {
  const { target, context } = run
  const groupsOfLines = Map.groupBy(parts.contents, ({ datasource, service }) =>
    [datasource, service].join('\n'),
  )
  let lines = 0
  for (const group of groupsOfLines.values()) {
    const [first] = group
    if (first === undefined || context.signal.aborted) continue
    const { datasource, service } = first
    const titleKeys = group.map(({ titleKey }) => titleKey)
    context.report({
      percentComplete: 75,
      stageKey: `signalr.${groups[target.kind]}.logs.removing`,
    })
    try {
      const outcome = await deps.logs.removeLines(
        {
          datasource,
          filter:
            target.kind === 'service'
              ? { kind: 'service', service }
              : { kind: 'titles', service, titleKeys },
        },
        { signal: context.signal, progress: () => {} },
      )
      lines += outcome.linesRemoved
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      deps.log.warn({ datasource, reason }, 'log lines of a removed game were left')
    }
  }
  return lines
}
