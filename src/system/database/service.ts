import type { LogEngine } from '../../engines/logs/contract.ts'

/**
 * Requests that were recorded, from the counters of the log engine: no request is stored as a row
 * of its own. Answered while the history is away, too.
 */
export async function logEntriesCount(logs: LogEngine): Promise<number> {
  let count = 0
  for (const { byService } of await logs.countedRequests()) {
    for (const requests of Object.values(byService)) count += requests
  }
  return count
}
