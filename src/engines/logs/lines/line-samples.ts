import type { LineOutcome } from './parse-line.ts'

const perMinute = 3
const minuteMs = 60_000

/** Logs at most three unreadable lines a minute, then one message with the number of others. */
export class LineSamples {
  readonly #warn: (text: string, facts: object) => void
  #since = 0
  #shown = 0
  #hidden = 0

  constructor(warn: (text: string, facts: object) => void) {
    this.#warn = warn
  }

  add(source: string, outcome: LineOutcome, bytes: Uint8Array, elapsedMs: number): void {
    this.tick(elapsedMs)
    if (this.#shown >= perMinute) {
      this.#hidden++
      return
    }
    this.#shown++
    const line = Buffer.from(bytes).toString('utf8')
    this.#warn('log line cannot be read', { source, reason: outcome, line })
  }

  /** Ends the minute when it is over. */
  tick(elapsedMs: number): void {
    if (elapsedMs - this.#since < minuteMs) return
    if (this.#hidden > 0) this.#warn('more log lines could not be read', { lines: this.#hidden })
    this.#since = elapsedMs
    this.#shown = 0
    this.#hidden = 0
  }
}
