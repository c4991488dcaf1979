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
  schedules.register({
    serviceKey: 'operationHistoryCleanup',
    intervalHours: everyHours,
    runOnStartup: false,
    card: { notificationMode: 'manual', operationType: null },
    run: () => void operations.forget(new Date(clock.now().getTime() - keptMs)),
  })
}
