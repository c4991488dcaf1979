/** Delays before further attempts: `firstMs`, doubled by every failure up to `lastMs`. */
export class BackOff {
  #nextMs: number
  readonly #firstMs: number
  readonly #lastMs: number

  constructor(firstMs: number, lastMs: number) {
    this.#firstMs = firstMs
    this.#lastMs = lastMs
    this.#nextMs = firstMs
  }

  /** The delay after one more failure, in milliseconds. */
  next(): number {
    const delayMs = this.#nextMs
    this.#nextMs = Math.min(delayMs * 2, this.#lastMs)
    return delayMs
  }

  reset(): void {
    this.#nextMs = this.#firstMs
  }
}
