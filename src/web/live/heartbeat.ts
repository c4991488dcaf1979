/** A quiet service is asked for a sign of life after this long. */
const askAfterMs = 2000
/** Without any frame for this long, figures are not live any more. */
export const staleAfterMs = 5000
/** The service had this long to answer: a tab that slept has not listened, and asks first. */
const answerWithinMs = 2500

/** How long an open connection has been silent. Times in milliseconds of any clock. */
export class Heartbeat {
  #heardMs: number
  #askedMs: number | null = null
  readonly #ask: () => void

  constructor(nowMs: number, ask: () => void) {
    this.#heardMs = nowMs
    this.#ask = ask
  }

  /** A frame has come. */
  heard(nowMs: number): void {
    this.#heardMs = nowMs
    this.#askedMs = null
  }

  /** To be called every second. Answers the milliseconds of silence; 0 while it is no concern. */
  check(nowMs: number): number {
    const silentMs = nowMs - this.#heardMs
    if (silentMs < askAfterMs) return 0
    if (this.#askedMs === null) {
      this.#askedMs = nowMs
      this.#ask()
    }
    const isOverdue = nowMs - this.#askedMs >= answerWithinMs
    return isOverdue && silentMs >= staleAfterMs ? silentMs : 0
  }
}
