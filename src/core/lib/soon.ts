import type { Timers } from './timers.ts'

export interface SoonOptions {
  timers: Timers
  /** Time between the first request and the run, which requests in between share. */
  delayMs?: number
  /** Shortest time between the end of a run and the next one. */
  gapMs: number
  /** Never rejects. */
  run: () => Promise<unknown>
}

export interface Soon {
  /** Requests a run; during a run it requests another one. */
  request: () => void
  stop: () => void
}

/** Runs a job for requests that come in bursts: one run at a time, with a gap in between. */
export function createSoon({ timers, delayMs = 0, gapMs, run }: SoonOptions): Soon {
  let isBusy = false
  let isRequested = false
  let isStopped = false
  let cancel = () => {}

  function begin(): void {
    isRequested = false
    void run().finally(() => {
      if (!isStopped) cancel = timers.after(gapMs, rest)
    })
  }

  function rest(): void {
    isBusy = false
    if (isRequested) request()
  }

  function request(): void {
    isRequested = true
    if (isBusy || isStopped) return
    isBusy = true
    if (delayMs === 0) begin()
    else cancel = timers.after(delayMs, begin)
  }

  return {
    request,
    stop() {
      isStopped = true
      cancel()
    },
  }
}
