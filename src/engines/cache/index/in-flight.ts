const lowest = 4
const highest = 64
/** Least time for a rate, and the time after which it is taken in any case. */
const windowMs = { min: 5000, max: 30_000 }
const windowFiles = 64
/** A higher limit is kept only when it is faster by this factor. */
const gain = 1.05
/** How long the best limit is kept before the next attempt. */
const probeEveryMs = 120_000

/**
 * How many directories of a slow disk are read in parallel: doubled while that makes it faster,
 * halved where it did not, tried again every two minutes.
 */
export class InFlight {
  limit = lowest
  #windowStartMs: number
  #windowFiles = 0
  /** Files per millisecond at the previous limit; 0: not measured yet. */
  #rate = 0
  #isProbing = true
  #settledMs = 0

  constructor(nowMs: number) {
    this.#windowStartMs = nowMs
  }

  /** Counts processed files. */
  note(files: number, nowMs: number): void {
    this.#windowFiles += files
    const passedMs = nowMs - this.#windowStartMs
    const isLong = passedMs >= windowMs.min && this.#windowFiles >= windowFiles
    if (!isLong && passedMs < windowMs.max) return
    const rate = this.#windowFiles / passedMs
    this.#windowStartMs = nowMs
    this.#windowFiles = 0
    if (this.#isProbing) this.#judge(rate, nowMs)
    else if (nowMs - this.#settledMs >= probeEveryMs) this.#probe(rate)
  }

  #judge(rate: number, nowMs: number): void {
    if (rate > this.#rate * gain && this.limit < highest) {
      this.#probe(rate)
      return
    }
    const isBetter = rate > this.#rate * gain
    if (!isBetter && this.#rate > 0) this.limit = Math.max(lowest, this.limit / 2)
    this.#isProbing = false
    this.#settledMs = nowMs
  }

  #probe(rate: number): void {
    this.#rate = rate
    this.#isProbing = this.limit < highest
    this.limit = Math.min(highest, this.limit * 2)
  }
}
