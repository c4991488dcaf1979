import type { Clock } from '../../src/core/lib/clock.ts'
import type { Timers } from '../../src/core/lib/timers.ts'

interface Job {
  at: number
  order: number
  run: () => void
}

/** A clock with timers that advances only on the test's command. */
export class ManualTime implements Clock, Timers {
  #now: number
  /** Offset of the time of day from the monotonic time. */
  #setBy = 0
  #order = 0
  #jobs: Job[] = []

  constructor(start = '2026-03-01T12:00:00.000Z') {
    this.#now = Date.parse(start)
  }

  now(): Date {
    return new Date(this.#now + this.#setBy)
  }

  elapsedMs(): number {
    return this.#now
  }

  /** Changes the time of day (negative: backwards) without advancing the monotonic time. */
  set(byMs: number): void {
    this.#setBy += byMs
  }

  after(delayMs: number, run: () => void): () => void {
    const job = { at: this.#now + delayMs, order: this.#order++, run }
    this.#jobs.push(job)
    return () => {
      this.#jobs = this.#jobs.filter((other) => other !== job)
    }
  }

  get pending(): number {
    return this.#jobs.length
  }

  /** Advances the time, runs due timers in order and lets promises settle in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await settle()
    for (;;) {
      const due = this.#jobs
        .filter((job) => job.at <= end)
        .sort((a, b) => a.at - b.at || a.order - b.order)[0]
      if (due === undefined) break
      this.#jobs = this.#jobs.filter((job) => job !== due)
      this.#now = Math.max(this.#now, due.at)
      due.run()
      await settle()
    }
    this.#now = end
  }

  /**
   * Advances the time as if the machine had slept: what was due meanwhile runs once, at the end.
   * For hours, in which frequent timers would run thousands of times.
   */
  async skip(ms: number): Promise<void> {
    this.#now += ms
    await this.advance(0)
  }
}

/** Lets everything that is ready to continue do so. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}
