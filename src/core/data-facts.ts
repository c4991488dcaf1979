import type { LogEngine } from '../engines/logs/contract.ts'
import type { Core } from './core.ts'
import { within } from './lib/within.ts'

/** Sign-in pages wait for these facts, so the limit is one second. */
const answerMs = 1000

/** At least one datasource has been read from. */
export async function hasProcessedLogs({
  logs,
}: {
  logs: Pick<LogEngine, 'positions'>
}): Promise<boolean> {
  const positions = await within(logs.positions(), answerMs, [])
  return positions.some(
    // The files may be deleted by now.
    ({ position, lastRunTerminalStatus }) => position > 0 || lastRunTerminalStatus !== '',
  )
}

/**
 * At least one download is stored; while the history is unavailable, according to the log engine.
 */
export async function hasData(
  deps: Pick<Core, 'history'> & { logs: Pick<LogEngine, 'positions'> },
): Promise<boolean> {
  if (deps.history.status().state !== 'ready') return hasProcessedLogs(deps)
  const stored = deps.history.read(async (_, sql) => {
    const [row] = await sql<{ found: boolean }[]>`SELECT EXISTS (SELECT 1 FROM downloads) AS found`
    return row?.found ?? false
  })
  const found = await within<boolean | null>(stored, answerMs, null)
  return found ?? hasProcessedLogs(deps)
}
