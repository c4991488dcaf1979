import type { JobContext } from '../engine.ts'
import type { HotOutbox } from './outbox.ts'

const waitMs = 200

/**
 * Waits until everything that was counted before now has reached the history. Answers false when
 * it has not within the time, in milliseconds, or when nobody wants to know any more.
 */
export async function untilShipped(
  outbox: HotOutbox,
  withinMs: number,
  context: Pick<JobContext, 'isCancelled'>,
): Promise<boolean> {
  const sinceMs = Date.now()
  for (;;) {
    const oldestMs = outbox.oldestMs()
    if (oldestMs === null || oldestMs > sinceMs) return true
    if (context.isCancelled() || Date.now() - sinceMs >= withinMs) return false
    await Bun.sleep(waitMs)
  }
}
