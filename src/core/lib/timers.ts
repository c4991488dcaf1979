/** Source of delayed work; tests advance a clock instead of waiting. */
export interface Timers {
  /** Runs `job` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, job: () => void): () => void
}

/** Real time. Does not keep the process alive. */
export const systemTimers: Timers = {
  after(delayMs, job) {
    const timer = setTimeout(job, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** Resolves after the time, or at once when the signal aborts. */
export function waited(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = timers.after(ms, resolve)
  const end = () => {
    stop()
    resolve()
  }
  signal.addEventListener('abort', end, { once: true })
  return promise.finally(() => signal.removeEventListener('abort', end))
}
