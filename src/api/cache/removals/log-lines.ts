import type { Deps } from '../../../deps.ts'
import { EngineFailure } from '../../../engines/host.ts'
import type { OperationContext } from '../../../operations/contract.ts'
import type { RemovalTarget, TargetParts } from './target.ts'

/** Log files that are named in a result; the rest is counted. */
const namedMax = 20

/** Lines of a removal that went from the logs, and files in which some were left. */
export interface Purge {
  lines: number
  left: { datasource: string; file: string | null; reason: string }[]
}

export const nothingPurged: Purge = { lines: 0, left: [] }

/** Members of the events; `logFilesLeft` above 0: lines of what was removed are still there. */
export const purgeFacts = ({ lines, left }: Purge) => ({
  logEntries: lines,
  logFilesLeft: left.length,
  logProblems: left
    .slice(0, namedMax)
    .map(({ datasource, file, reason }) => `${datasource}: ${file ?? 'the logs'}: ${reason}`),
})

/** Takes the lines of what was removed out of the logs; what could not be changed is told. */
export async function purgeLogs(
  deps: Deps,
  run: { target: RemovalTarget; parts: TargetParts; context: OperationContext },
): Promise<Purge> {
  const { target, parts, context } = run
  const purge: Purge = { lines: 0, left: [] }
  const groups = Map.groupBy(parts.contents, ({ datasource, service }) =>
    [datasource, service].join('\n'),
  )
  for (const group of groups.values()) {
    const [first] = group
    if (first === undefined || context.signal.aborted) continue
    const { datasource, service } = first
    const titleKeys = group.map(({ titleKey }) => titleKey)
    const isService = target.kind === 'service'
    try {
      const outcome = await deps.logs.removeLines(
        {
          datasource,
          filter: isService ? { kind: 'service', service } : { kind: 'titles', service, titleKeys },
        },
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
