import type { LogEngine } from '../../../engines/logs/contract.ts'

/**
 * Requests that were recorded, from the counters of the log engine: no request is stored as a row
 * of its own. Answered while the history is away, too.
 */
export async function logEntriesCount(logs: LogEngine): Promise<number> {
  let count = 0
  for (const { serviceCounts } of await logs.serviceCounts()) {
    for (const requests of Object.values(serviceCounts)) count += requests
  }
  return count
}
