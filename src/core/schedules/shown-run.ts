import type { OperationEvents, Operations } from '../operations/contract.ts'
import { named } from '../operations/names.ts'
import type { ScheduledService } from './contract.ts'

interface Shown {
  /** Of the operation and of its name. */
  type:
    'cacheSnapshot' | 'dashboardCacheWarmer' | 'operationHistoryCleanup' | 'performanceOptimization'
  events: OperationEvents
}

/**
 * Runs of a service whose work is short: an operation with its events where a run is shown. Silent
 * ones would only fill the history of operations.
 */
export const shownRun =
  (
    operations: Pick<Operations, 'submit'>,
    { type, events }: Shown,
    work: () => Promise<void> | void,
  ): ScheduledService['run'] =>
  (_trigger, { isSilent }) =>
    isSilent
      ? work()
      : operations.submit({
          type,
          scope: 'bulk',
          ...named(type),
          events,
          async run() {
            await work()
            return { kind: 'completed' }
          },
        })
