import type { Clock } from '../../../lib/clock.ts'

const windowMs = 60 * 60_000

/** An hour in which the owner's password can be set anew. In memory: a restart closes it. */
export class RecoveryWindow {
  readonly #clock: Clock
  #openedMs: number | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  open(): void {
    this.#openedMs = this.#clock.now().getTime()
  }

  isOpen(): boolean {
    if (this.#openedMs === null) return false
    const age = this.#clock.now().getTime() - this.#openedMs
    return age >= 0 && age < windowMs
  }

  close(): void {
    this.#openedMs = null
  }
}
