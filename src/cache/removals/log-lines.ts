import type { RemovalTarget } from '../../../db/state/schema/removals.ts'
import type { CacheParts } from '../parts.ts'
import { unlessAway } from '../detection/read.ts'
import { EngineFailure } from '../../engines/host.ts'
import type { LineFilter } from '../../engines/logs/changes/line-filter.ts'
import type { OperationContext } from '../../core/operations/contract.ts'
import { knownTitles, type KnownTitle } from './store.ts'
import type { Reach } from '../away/away.ts'
import type { TargetParts } from './target.ts'

/** Log files named in a result; the rest are counted. */
const namedMax = 20

/** Log lines deleted by a removal, and files in which some remain. */
export interface Purge {
  lines: number
  left: { datasource: string; file: string | null; reason: string }[]
}

export const nothingPurged: Purge = { lines: 0, left: [] }

/** Members of the events; `logFilesLeft` above 0 means that lines of removed content remain. */
export const purgeFacts = ({ lines, left }: Purge) => ({
  logEntries: lines,
  logEntriesRemoved: lines,
  logFilesLeft: left.length,
  logProblems: left
    .slice(0, namedMax)
    .map(({ datasource, file, reason }) => `${datasource}: ${file ?? 'the logs'}: ${reason}`),
})

interface DatasourceFilter {
  datasource: string
  filter: LineFilter
}

interface LineRemoval {
  target: RemovalTarget
  parts: TargetParts
  reach: Reach
  /** Titles whose lines stay. */
  kept: readonly string[]
}

/** What to remove from which logs, including lines of content evicted earlier. */
async function filtersOf(
  { config, history }: CacheParts,
  { target, parts: { contents }, reach, kept }: LineRemoval,
): Promise<DatasourceFilter[]> {
  const names = config.datasources.map(({ name }) => name).filter((name) => reach.has(name))
  if (target.kind === 'service') {
    const filter: LineFilter = { kind: 'service', service: target.service }
    return names.map((datasource) => ({ datasource, filter }))
  }
  const known = (await unlessAway(history, (_db, sql) => knownTitles(sql, target))) ?? []
  const stays = new Set(kept)
  const gone = known.filter(({ titleKey }) => !stays.has(titleKey))
  const titles = [...contents, ...names.flatMap((name) => gone.map((one) => within(name, one)))]
  const groups = Map.groupBy(titles, ({ datasource, service }) => `${datasource}\n${service}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const titleKeys = [...new Set(group.map(({ titleKey }) => titleKey))]
    const filter: LineFilter = { kind: 'titles', service: first.service, titleKeys }
    return [{ datasource: first.datasource, filter }]
  })
}

const within = (datasource: string, title: KnownTitle) => ({ datasource, ...title })

/** Removes the log lines of removed content; reports files that could not be changed. */
export async function purgeLogs(
  deps: CacheParts,
  run: LineRemoval & { context: OperationContext },
): Promise<Purge> {
  const { context } = run
  const purge: Purge = { lines: 0, left: [] }
  for (const { datasource, filter } of await filtersOf(deps, run)) {
    if (context.signal.aborted) break
    try {
      const outcome = await deps.logs.removeLines(
        { datasource, filter },
        { signal: context.signal, progress: () => {} },
      )
      purge.lines += outcome.linesRemoved
      purge.left.push(...outcome.refused.map((one) => ({ datasource, ...one })))
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error
      deps.log.warn({ err: error, datasource }, 'log lines of a removed game were left')
      const reason = 'the lines could not be removed; see the log of the service'
      purge.left.push({ datasource, file: null, reason })
    }
  }
  return purge
}
