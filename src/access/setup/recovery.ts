import type { Clock } from '../../core/lib/clock.ts'

const windowMs = 60 * 60_000

/** An hour in which the owner's password can be reset. In memory: a restart closes it. */
export class RecoveryWindow {
  readonly #clock: Clock
  #openedMs: number | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  open(): void {
    this.#openedMs = this.#clock.elapsedMs()
  }

  isOpen(): boolean {
    if (this.#openedMs === null) return false
    return this.#clock.elapsedMs() - this.#openedMs < windowMs
  }

  close(): void {
    this.#openedMs = null
  }
}
