import pLimit from 'p-limit'
import type { Clock } from '../../core/lib/clock.ts'
import type { Outcome } from './contract.ts'

/** Concurrent queries. */
const concurrentMax = 8
/** Addresses queued; the next request asks again for those beyond. */
const waitingMax = 1024
/** Outcomes cached; the oldest are dropped. */
export const keptMax = 4096
/** Lifetime of a name or its absence, and of a failure. */
export const nameTtlMs = 30 * 60_000
export const failureTtlMs = 5 * 60_000

interface Kept {
  outcome: Outcome
  until: number
}

/** Looks up names, a few at a time, and caches the outcomes. */
export class Lookups {
  readonly #ask: (address: string) => Promise<Outcome>
  readonly #clock: Clock
  readonly #onIdle: () => void
  readonly #kept = new Map<string, Kept>()
  readonly #pending = new Map<string, Promise<Outcome>>()
  readonly #queue = pLimit(concurrentMax)
  /** Incremented on every reset: answers to older queries are dropped. */
  #era = 0

  constructor(
    ask: (address: string) => Promise<Outcome>,
    { clock, onIdle }: { clock: Clock; onIdle: () => void },
  ) {
    this.#ask = ask
    this.#clock = clock
    this.#onIdle = onIdle
  }

  get isIdle(): boolean {
    return this.#pending.size === 0
  }

  forget(): void {
    this.#era++
    this.#kept.clear()
  }

  /** The cached outcome; null when expired or absent. */
  known(address: string): Outcome | null {
    const kept = this.#kept.get(address)
    return kept !== undefined && kept.until > this.#clock.elapsedMs() ? kept.outcome : null
  }

  /**
   * The cached outcome or a new lookup, shared by concurrent callers. Null when the queue is full.
   */
  find(address: string): Promise<Outcome> | null {
    const known = this.known(address)
    if (known !== null) return Promise.resolve(known)
    const pending = this.#pending.get(address)
    if (pending !== undefined) return pending
    if (this.#queue.pendingCount >= waitingMax) return null
    const search = this.#queue(() => this.#search(address))
    this.#pending.set(address, search)
    return search
  }

  async #search(address: string): Promise<Outcome> {
    const era = this.#era
    try {
      const outcome = await this.#ask(address)
      if (era === this.#era) this.#keep(address, outcome)
      return outcome
    } finally {
      this.#pending.delete(address)
      if (this.#pending.size === 0) this.#onIdle()
    }
  }

  #keep(address: string, outcome: Outcome): void {
    const isDefinite = outcome.kind === 'name' || outcome.kind === 'none'
    const until = this.#clock.elapsedMs() + (isDefinite ? nameTtlMs : failureTtlMs)
    this.#kept.delete(address)
    this.#kept.set(address, { outcome, until })
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= keptMax) break
      this.#kept.delete(oldest)
    }
  }
}
