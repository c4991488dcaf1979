const newestWeight = 0.25
/** No prediction before this. */
const knownAfterMs = 2000

/** Moving average of a job's speed, and the remaining time that follows from it. */
export class MovingRate {
  readonly #startedMs = performance.now()
  #lastMs = this.#startedMs
  #lastDone = 0
  #perMs = 0

  /** `done`: units of work finished so far. */
  update(done: number): void {
    const nowMs = performance.now()
    const passedMs = nowMs - this.#lastMs
    if (passedMs <= 0) return
    const rate = (done - this.#lastDone) / passedMs
    const isFirst = this.#perMs === 0
    this.#perMs = isFirst ? rate : (1 - newestWeight) * this.#perMs + newestWeight * rate
    this.#lastMs = nowMs
    this.#lastDone = done
  }

  /** Null in the first two seconds and while nothing is done. */
  perSecond(): number | null {
    const isKnown = performance.now() - this.#startedMs >= knownAfterMs && this.#perMs > 0
    return isKnown ? this.#perMs * 1000 : null
  }

  /** Whole seconds for `left` more units; null like `perSecond`. */
  secondsFor(left: number): number | null {
    const rate = this.perSecond()
    return rate === null ? null : Math.ceil(left / rate)
  }
}
