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
