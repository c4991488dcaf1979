/** Where delayed work comes from; tests advance a clock of their own instead of waiting. */
export interface Timers {
  /** Runs `job` once after `delayMs`; the answer takes it back. */
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
