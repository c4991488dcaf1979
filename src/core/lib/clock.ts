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
