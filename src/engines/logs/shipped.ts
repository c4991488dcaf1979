import type { JobContext } from '../engine.ts'
import type { HotOutbox } from './outbox.ts'

const waitMs = 200

/**
 * Waits until everything counted before now has reached the history. Returns false when it has not
 * within the time, in milliseconds, or when cancelled.
 */
export async function untilShipped(
  outbox: HotOutbox,
  withinMs: number,
  context: Pick<JobContext, 'isCancelled'>,
): Promise<boolean> {
  const sinceMs = Date.now()
  const startedMs = performance.now()
  for (;;) {
    const oldestMs = outbox.oldestMs()
    // A time in the future is from before the clock was set back: such rows are older than this.
    const isLater = oldestMs !== null && oldestMs > sinceMs && oldestMs <= Date.now()
    if (oldestMs === null || isLater) return true
    if (context.isCancelled() || performance.now() - startedMs >= withinMs) return false
    await Bun.sleep(waitMs)
  }
}
