import type { Clock } from '../../core/lib/clock.ts'

const failuresMax = 5
const lockedMs = 15 * 60_000
/** Accounts and devices tracked at once; the oldest is dropped beyond that. */
const countedMax = 10_000

const keyOf = (accountId: string, device: string | null): string => `${accountId} ${device ?? ''}`

/**
 * Five wrong passwords lock an account for a quarter of an hour, whichever browsers sent them. A known
 * device is locked by its own five alone, so that nobody can keep the account's users out. Kept in
 * memory only.
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

  /** Counts for the account and, if there is one, for the device. Attempts extend no lock. */
  noteFailure(accountId: string, device: string | null = null): void {
    this.#count(accountId, null)
    if (device !== null) this.#count(accountId, device)
  }

  #count(accountId: string, device: string | null): void {
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

  /** After a sign-in, a password change or deletion: clears every count of the account. */
  clear(accountId: string): void {
    for (const key of this.#failures.keys()) {
      if (key.startsWith(keyOf(accountId, null))) this.#failures.delete(key)
    }
  }

  #isOver(lastMs: number): boolean {
    return this.#clock.elapsedMs() - lastMs >= lockedMs
  }
}
