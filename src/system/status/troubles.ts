import type { HistoryState } from '../../../db/history/history.ts'
import type { IngestStatus, SourceProblem } from '../../engines/logs/wire.ts'
import type { SystemParts } from '../parts.ts'
import { serviceStatus, type StatusParts } from './service.ts'

/** What is wrong with a part of the service. */
export type Trouble =
  | { part: 'database'; state: Exclude<HistoryState, 'ready'> }
  | { part: 'logs'; state: IngestStatus['state']; reason: string }
  | { part: 'rows' }
  | { part: 'node'; name: string }
  | { part: 'folder'; name: string; problem: Exclude<SourceProblem, 'none'> }

/** What is wrong with the service; empty while it works. */
export async function troubles(parts: Pick<SystemParts, StatusParts>): Promise<Trouble[]> {
  const { ingest, history, datasources, nodesAway } = await serviceStatus(parts)
  // A new installation reads nothing before its set-up, which is no fault.
  const isWell = ['reading', 'following', 'starting', 'awaiting_setup'].includes(ingest.state)
  const found: Trouble[] = []
  if (history.state !== 'ready') found.push({ part: 'database', state: history.state })
  // Without its database, rows wait as they should.
  else if (ingest.outbox.isStuck) found.push({ part: 'rows' })
  if (!isWell) {
    const { state, message } = ingest
    found.push({ part: 'logs', state, reason: message ?? state })
  }
  for (const { name, problem } of datasources) {
    if (problem !== 'none') found.push({ part: 'folder', name, problem })
  }
  for (const { name } of nodesAway) found.push({ part: 'node', name })
  return found
}
