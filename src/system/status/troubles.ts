import type { SystemParts } from '../parts.ts'
import { serviceStatus } from './service.ts'

/** What is wrong with the service, as one line per part; empty while it works. */
export async function troubles(
  parts: Pick<SystemParts, 'logs' | 'history' | 'cache' | 'settings'>,
): Promise<string[]> {
  const { ingest, history, datasources } = await serviceStatus(parts)
  // A new installation reads nothing before its set-up, which is no fault.
  const isWell = ['reading', 'following', 'starting', 'awaiting_setup'].includes(ingest.state)
  return [
    ...(history.state === 'ready' ? [] : [`The database is ${history.state}.`]),
    ...(isWell ? [] : [`Logs are not read: ${ingest.message ?? ingest.state}.`]),
    ...(ingest.outbox.isStuck ? ['Rows cannot be sent to the database.'] : []),
    ...datasources
      .filter(({ problem }) => problem !== 'none')
      .map(({ name, problem }) => `Log folder of ${name}: ${problem.replaceAll('_', ' ')}.`),
  ]
}
