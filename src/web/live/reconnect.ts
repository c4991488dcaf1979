/** Delays before reconnecting to the hub, seconds; the last one repeats. */
export const reconnectSeconds = [0, 2, 5, 10, 30, 60] as const
/** Jitter, so that not all tabs reconnect at the same moment after a restart. */
const spread = 0.25

/**
 * Delay before an attempt (0 is the first) in milliseconds. `random` is in [0, 1); only the
 * repeated last delay has jitter.
 */
export function reconnectDelayMs(attempt: number, random: number): number {
  const last = reconnectSeconds.length - 1
  const seconds = reconnectSeconds[Math.min(attempt, last)] ?? 0
  const factor = attempt >= last ? 1 - spread + 2 * spread * random : 1
  return Math.round(seconds * 1000 * factor)
}
