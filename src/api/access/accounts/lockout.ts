import type { Clock } from '../../../lib/clock.ts'

const failuresMax = 5
const lockedMs = 15 * 60_000

/** Five wrong passwords lock an account for a quarter of an hour. Kept in memory only. */
export class Lockout {
  readonly #clock: Clock
  /** Bounded by the number of accounts: only existing ones are counted. */
  readonly #failures = new Map<string, { count: number; lastMs: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  isLocked(accountId: string): boolean {
    const entry = this.#failures.get(accountId)
    return entry !== undefined && entry.count >= failuresMax && !this.#isOver(entry.lastMs)
  }

  /** Attempts on a locked account do not make it longer. */
  noteFailure(accountId: string): void {
    if (this.isLocked(accountId)) return
    const entry = this.#failures.get(accountId)
    const lastMs = this.#clock.elapsedMs()
    const count = entry === undefined || this.#isOver(entry.lastMs) ? 1 : entry.count + 1
    this.#failures.set(accountId, { count, lastMs })
  }

  clear(accountId: string): void {
    this.#failures.delete(accountId)
  }

  #isOver(lastMs: number): boolean {
    return this.#clock.elapsedMs() - lastMs >= lockedMs
  }
}
