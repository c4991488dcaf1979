/*
 * Two clocks. `Clock.now()` is the time of day, for values that are stored or shown.
 * `Clock.elapsedMs()` is monotonic; everything that waits, expires or is measured uses it, so that
 * setting the clock moves no timer. Sessions and other dates on disk are times of day.
 */
/** Source of the time; tests replace it. */
export interface Clock {
  /** The time of day, which an operator or a time server may set in both directions. */
  now(): Date
  /** Monotonic milliseconds from an arbitrary start, for every delay and measurement. */
  elapsedMs(): number
}

export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
}
