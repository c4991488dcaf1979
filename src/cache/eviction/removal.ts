import type { EvictedScope } from '../../../db/state/schema/removals.ts'
import { allBut, leftFacts, only, reachOf, type Reach, type WhenAway } from '../away/away.ts'
import type { Later, Part } from '../away/later.ts'
import type { CacheParts } from '../parts.ts'
import type { LineFilter } from '../../engines/logs/changes/line-filter.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import { countEvicted, deleteEvictedSlice, goneObjects, goneTitles } from './removal-store.ts'
import { settleSums } from './store.ts'
import { errorText } from '../../core/lib/error-text.ts'

const stage = (name: string) => `signalr.evictionRemove.${name}`

interface Removal {
  scope: EvictedScope
  subject: string
  /** Null: rows of all datasources, and the log lines that can be reached. */
  whenAway: WhenAway | null
  /** The part of a node that is back. */
  part?: Part
  /**
   * Also removes the log lines of completely evicted titles; failures there do not stop the
   * removal.
   */
  purgesLogs: boolean
  /** Downloads when it was asked for, before it was queued; null while the history was away. */
  announced: number | null
  context: OperationContext
}

/**
 * Removes evicted downloads from the history, and the log lines of titles with nothing left. Cache
 * files are not touched, and served traffic stays counted.
 */
export async function removeEvicted(
  deps: CacheParts & { later: Later },
  removal: Removal,
): Promise<OperationResult> {
  const { history } = deps
  const { scope, purgesLogs, announced, context, whenAway } = removal
  const { signal } = context
  const report = (name: string, percentComplete: number, facts: Record<string, unknown> = {}) =>
    context.report({ stageKey: stage(name), percentComplete, context: facts })
  report(scope.kind === 'bulk' ? 'starting.bulk' : 'starting.entity', 0, { ...factsOf(scope) })
  const reach = reachedBy(deps, removal)
  if (whenAway === 'later') {
    const work = { kind: 'evicted', scope, purgesLogs } as const
    deps.later.keep(reach.left, { work, subject: removal.subject })
  }
  const linesRemoved = purgesLogs ? await purgeLogs(deps, { ...removal, reach }, report) : 0
  if (signal.aborted) return { kind: 'cancelled' }
  const total = await history.read((_db, sql) => countEvicted(sql, scope, reach.within))
  let downloadsRemoved = 0
  while (!signal.aborted) {
    const share = 100 * Math.min(1, downloadsRemoved / Math.max(total, 1))
    report('removingDownloads', 40 + share / 2, { downloadsRemoved, total })
    const count = await history.read((_db, sql) => deleteEvictedSlice(sql, scope, reach.within))
    if (count === 0) break
    downloadsRemoved += count
  }
  await history.read((_db, sql) => settleSums(sql))
  const downloadsAdded = Math.max(0, downloadsRemoved - (announced ?? total))
  const facts = {
    downloadsRemoved,
    downloadsAdded,
    linesRemoved,
    logEntriesRemoved: linesRemoved,
    ...leftFacts(reach, whenAway ?? 'refuse'),
  }
  if (signal.aborted) return { kind: 'cancelled', fields: facts }
  return { kind: 'completed', stageKey: stage('complete'), context: facts, fields: facts }
}

/** Facts about the scope, for the stage's text. */
function factsOf(scope: EvictedScope): { scope: string; key: string | null } {
  if (scope.kind === 'bulk') return { scope: scope.kind, key: null }
  if (scope.kind === 'alpha') return { scope: scope.kind, key: String(scope.appId) }
  if (scope.kind === 'beta') return { scope: scope.kind, key: scope.betaAppId }
  if (scope.kind === 'service') return { scope: scope.kind, key: scope.service }
  return { scope: scope.kind, key: `${scope.service}:${scope.gameName}` }
}

/** Throws `unavailable` while a node is away that has to be reached. */
function reachedBy({ nodeHosts }: CacheParts, { whenAway, part }: Removal): Reach {
  if (part === undefined) return whenAway === null ? allBut([]) : reachOf(nodeHosts, whenAway)
  reachOf(nodeHosts, 'refuse', (name) => part.datasources.includes(name))
  return only(part.datasources)
}

type Report = (name: string, percentComplete: number, facts?: Record<string, unknown>) => void

/** Best effort: a log that is not writable is reported in the service's log and left unchanged. */
async function purgeLogs(
  deps: CacheParts,
  removal: Removal & { reach: Reach },
  report: Report,
): Promise<number> {
  const { logs, log } = deps
  let linesRemoved = 0
  for (const { datasource, filter } of await filtersOf(deps, removal)) {
    if (removal.context.signal.aborted) break
    report('purgingLogs', 10, { linesRemoved })
    try {
      const outcome = await logs.removeLines(
        { datasource, filter },
        { signal: removal.context.signal, progress: () => report('purgingLogs', 20) },
      )
      linesRemoved += outcome.linesRemoved
    } catch (error) {
      const reason = errorText(error)
      log.warn({ datasource, reason }, 'log lines of evicted downloads were not removed')
    }
  }
  return linesRemoved
}

/** What to remove from each datasource's logs: titles by service, and single objects. */
async function filtersOf(
  { history }: CacheParts,
  { scope, reach }: { scope: EvictedScope; reach: Reach },
): Promise<{ datasource: string; filter: LineFilter }[]> {
  const isMeant = ({ datasource }: { datasource: string }) => reach.has(datasource)
  const titles = (await history.read((_db, sql) => goneTitles(sql, scope))).filter(isMeant)
  const objects = (await history.read((_db, sql) => goneObjects(sql, scope))).filter(isMeant)
  const byService = Map.groupBy(titles, ({ datasource, service }) => `${datasource}\n${service}`)
  const titleFilters = [...byService.values()].flatMap((group) => {
    const first = group[0]
    if (first === undefined) return []
    const titleKeys = group.map(({ titleKey }) => titleKey)
    const filter: LineFilter = { kind: 'titles', service: first.service, titleKeys }
    return [{ datasource: first.datasource, filter }]
  })
  const byDatasource = Map.groupBy(objects, ({ datasource }) => datasource)
  const objectFilters = [...byDatasource].map(([datasource, group]) => {
    const named = group.map(({ tag, path }) => ({ tag, path }))
    const filter: LineFilter = { kind: 'objects', objects: named }
    return { datasource, filter }
  })
  return [...titleFilters, ...objectFilters]
}
