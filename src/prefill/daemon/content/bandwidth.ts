/** Seconds of the limit that may be used at once after a quiet time. */
const burstSeconds = 0.25

export type Bandwidth = ReturnType<typeof createBandwidth>

/**
 * The one budget of all requests of a daemon, a token bucket. Its level may fall below zero; whoever
 * drew it there waits until it is paid.
 */
export function createBandwidth(limit: number | null = null) {
  let rate = limit
  let isPaused = false
  let level = 0
  let updatedMs = performance.now()
  let timer: Timer | null = null
  /** Requests that wait, in the order in which they came. */
  const waiting: (() => void)[] = []

  function refill(): void {
    const nowMs = performance.now()
    if (rate !== null)
      level = Math.min(level + (rate * (nowMs - updatedMs)) / 1000, rate * burstSeconds)
    updatedMs = nowMs
  }

  /** Lets waiting requests go on while there is budget, and comes back when there is some again. */
  function serve(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    refill()
    if (isPaused) return
    if (rate === null || level >= 0) {
      for (const go of waiting.splice(0)) go()
      return
    }
    if (waiting.length > 0) timer = setTimeout(serve, Math.ceil((-level * 1000) / rate))
  }

  return {
    /** Bytes per second; null: no limit. */
    get limit() {
      return rate
    },
    get isPaused() {
      return isPaused
    },
    setLimit(bytesPerSecond: number | null): void {
      refill()
      rate = bytesPerSecond
      level = Math.min(level, 0)
      serve()
    },
    setPaused(value: boolean): void {
      isPaused = value
      serve()
    },
    /**
     * Accounts for bytes that arrived. Null: go on at once; otherwise read on when it resolves, which
     * may be after a pause of any length.
     */
    take(bytes: number): Promise<void> | null {
      if (rate === null && !isPaused) return null
      refill()
      if (rate !== null) level -= bytes
      if (!isPaused && level >= 0) return null
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      if (timer === null) serve()
      return promise
    },
  }
}
