import type { Clock } from '../../core/lib/clock.ts'

const failuresMax = 5
const lockedMs = 15 * 60_000
/** Accounts and devices that are counted at a time; beyond it the oldest is forgotten. */
const countedMax = 10_000

const keyOf = (accountId: string, device: string | null): string => `${accountId} ${device ?? ''}`

/**
 * Five wrong passwords lock an account for a quarter of an hour: for browsers that are not known
 * all together, for each known device by itself. Kept in memory only.
 */
export class Lockout {
  readonly #clock: Clock
  readonly #failures = new Map<string, { count: number; lastMs: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  isLocked(accountId: string, device: string | null = null): boolean {
    const entry = this.#failures.get(keyOf(accountId, device))
    return entry !== undefined && entry.count >= failuresMax && !this.#isOver(entry.lastMs)
  }

  /** Attempts on a locked account do not make it longer. */
  noteFailure(accountId: string, device: string | null = null): void {
    if (this.isLocked(accountId, device)) return
    const key = keyOf(accountId, device)
    const entry = this.#failures.get(key)
    const lastMs = this.#clock.elapsedMs()
    const count = entry === undefined || this.#isOver(entry.lastMs) ? 1 : entry.count + 1
    this.#failures.delete(key)
    const [oldest] = this.#failures.keys()
    if (this.#failures.size >= countedMax && oldest !== undefined) this.#failures.delete(oldest)
    this.#failures.set(key, { count, lastMs })
  }

  /** After the right password: what this device, or the unknown ones, did wrong before. */
  forget(accountId: string, device: string | null): void {
    this.#failures.delete(keyOf(accountId, device))
  }

  /** After the password was replaced, or the account deleted: everything. */
  clear(accountId: string): void {
    for (const key of this.#failures.keys()) {
      if (key.startsWith(keyOf(accountId, null))) this.#failures.delete(key)
    }
  }

  #isOver(lastMs: number): boolean {
    return this.#clock.elapsedMs() - lastMs >= lockedMs
  }
}
