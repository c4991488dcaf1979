import { orLate } from '../../src/core/lib/within.ts'
import { slowness } from './slowness.ts'

/** Default limit of a wait, in milliseconds. */
const defaultLimitMs = 90_000
/** First pause between two checks; it doubles up to the longest one. */
const pauseMs = { first: 2, longest: 50 }

/**
 * Checks the condition until it is true. Throws with `what` when that takes longer than the limit,
 * also when the condition itself never answers. The limit is longer on a slow machine.
 */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string,
  limitMs = defaultLimitMs,
): Promise<void> {
  const allowedMs = limitMs * slowness
  const endMs = performance.now() + allowedMs
  const late = () => new Error(`did not happen in ${Math.round(allowedMs)} ms: ${what}`)
  for (let waitMs = pauseMs.first; ; waitMs = Math.min(2 * waitMs, pauseMs.longest)) {
    const work = Promise.resolve(condition())
    const met = await orLate(work, Math.max(0, endMs - performance.now()), 'late')
    if (met === true) return
    if (met === 'late' || performance.now() > endMs) throw late()
    await Bun.sleep(waitMs)
  }
}
