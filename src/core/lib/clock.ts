/** Where the time comes from; tests put a clock of their own here. */
export interface Clock {
  /** The time of day, which an operator or a time server may set in both directions. */
  now(): Date
  /** Milliseconds since some moment, never set: for everything that waits, lasts or is measured. */
  elapsedMs(): number
}

export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
}
