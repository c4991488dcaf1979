/**
 * Limits reports: the returned function is true on its first call, when `everyMs` have passed since
 * it was last true, and when forced.
 */
export function pace(everyMs: number): (isForced?: boolean) => boolean {
  let lastMs = Number.NEGATIVE_INFINITY
  return (isForced = false) => {
    const nowMs = performance.now()
    if (!isForced && nowMs - lastMs < everyMs) return false
    lastMs = nowMs
    return true
  }
}
