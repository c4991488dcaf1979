import type { CacheParts } from '../parts.ts'
import type { LineFilter } from '../../engines/logs/changes/line-filter.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import {
  countEvicted,
  deleteEvictedSlice,
  goneObjects,
  goneTitles,
  type EvictedScope,
} from './removal-store.ts'
import { errorText } from '../../core/lib/error-text.ts'

const stage = (name: string) => `signalr.evictionRemove.${name}`

interface Removal {
  scope: EvictedScope
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
export async function removeEvicted(deps: CacheParts, removal: Removal): Promise<OperationResult> {
  const { history } = deps
  const { scope, purgesLogs, announced, context } = removal
  const { signal } = context
  const report = (name: string, percentComplete: number, facts: Record<string, unknown> = {}) =>
    context.report({ stageKey: stage(name), percentComplete, context: facts })
  report(scope.kind === 'bulk' ? 'starting.bulk' : 'starting.entity', 0, { ...factsOf(scope) })
  const linesRemoved = purgesLogs ? await purgeLogs(deps, removal, report) : 0
  if (signal.aborted) return { kind: 'cancelled' }
  const total = await history.read((_db, sql) => countEvicted(sql, scope))
  let downloadsRemoved = 0
  while (!signal.aborted) {
    const share = 100 * Math.min(1, downloadsRemoved / Math.max(total, 1))
    report('removingDownloads', 40 + share / 2, { downloadsRemoved, total })
    const count = await history.read((_db, sql) => deleteEvictedSlice(sql, scope))
    if (count === 0) break
    downloadsRemoved += count
  }
  const downloadsAdded = Math.max(0, downloadsRemoved - (announced ?? total))
  const facts = {
    downloadsRemoved,
    downloadsAdded,
    linesRemoved,
    logEntriesRemoved: linesRemoved,
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

type Report = (name: string, percentComplete: number, facts?: Record<string, unknown>) => void

/** Best effort: a log that is not writable is reported in the service's log and left unchanged. */
async function purgeLogs(deps: CacheParts, removal: Removal, report: Report): Promise<number> {
  const { logs, log } = deps
  let linesRemoved = 0
  for (const { datasource, filter } of await filtersOf(deps, removal.scope)) {
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
  scope: EvictedScope,
): Promise<{ datasource: string; filter: LineFilter }[]> {
  const titles = await history.read((_db, sql) => goneTitles(sql, scope))
  const objects = await history.read((_db, sql) => goneObjects(sql, scope))
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
