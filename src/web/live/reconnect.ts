/** Waits before the attempts to reach the hub again, seconds; the last one is repeated. */
export const reconnectSeconds = [0, 2, 5, 10, 30, 60] as const
/** Spread, so that a restart is not answered by every tab at the same moment. */
const spread = 0.25

/**
 * Milliseconds to wait before an attempt (0 is the first). `random` is in [0, 1); only the endless
 * last step is spread.
 */
export function reconnectDelayMs(attempt: number, random: number): number {
  const last = reconnectSeconds.length - 1
  const seconds = reconnectSeconds[Math.min(attempt, last)] ?? 0
  const factor = attempt >= last ? 1 - spread + 2 * spread * random : 1
  return Math.round(seconds * 1000 * factor)
}
