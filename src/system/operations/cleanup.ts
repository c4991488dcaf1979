import { shownRun } from '../../core/schedules/shown-run.ts'
import type { SystemParts } from '../parts.ts'

const everyHours = 1
/** Ended jobs are forgotten after this; their number is limited at any time. */
const keptMs = 90 * 86_400_000

/** Removes old jobs from the history of operations, on a schedule. */
export function scheduleHistoryCleanup({
  clock,
  operations,
  schedules,
}: Pick<SystemParts, 'clock' | 'operations' | 'schedules'>): void {
  const type = 'operationHistoryCleanup'
  const shown = { type, events: { prefix: 'OperationHistoryCleanup' } } as const
  schedules.register({
    serviceKey: type,
    intervalHours: everyHours,
    runOnStartup: false,
    card: { notificationMode: 'manual', operationType: type },
    run: shownRun(
      operations,
      shown,
      () => void operations.forget(new Date(clock.now().getTime() - keptMs)),
    ),
  })
}
