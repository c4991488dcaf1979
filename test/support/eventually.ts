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
    if (await within(condition(), endMs - performance.now(), late)) return
    if (performance.now() > endMs) throw late()
    await Bun.sleep(waitMs)
  }
}

/** The value, or the error when there is none after this time. */
async function within<T>(value: T | Promise<T>, limitMs: number, late: () => Error): Promise<T> {
  if (!(value instanceof Promise)) return value
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), limitMs)
  return Promise.race([value, promise]).finally(() => clearTimeout(timer))
}
