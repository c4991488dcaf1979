import type { Clock } from '../../core/lib/clock.ts'
import type { Outcome } from './contract.ts'

/** Questions on the way at once. */
const concurrentMax = 8
/** Addresses that wait for their turn; more are asked for again by the next request. */
const waitingMax = 1024
/** Outcomes kept; the oldest make room. */
export const keptMax = 4096
/** How long a name, or that there is none, is good; and how long a failure is. */
export const nameTtlMs = 30 * 60_000
export const failureTtlMs = 5 * 60_000

interface Kept {
  outcome: Outcome
  until: number
}

/** Looks for names, a few at a time, and keeps what came out of it. */
export class Lookups {
  readonly #ask: (address: string) => Promise<Outcome>
  readonly #clock: Clock
  readonly #onIdle: () => void
  readonly #kept = new Map<string, Kept>()
  readonly #pending = new Map<string, Promise<Outcome>>()
  #waiting: (() => void)[] = []
  #running = 0
  /** Grows when everything is forgotten: answers to older questions are not kept. */
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

  /** What came out last; null when that is too long ago or never was. */
  known(address: string): Outcome | null {
    const kept = this.#kept.get(address)
    return kept !== undefined && kept.until > this.#clock.elapsedMs() ? kept.outcome : null
  }

  /** The outcome kept or a new search; several callers share one. Null: too many are waiting. */
  find(address: string): Promise<Outcome> | null {
    const known = this.known(address)
    if (known !== null) return Promise.resolve(known)
    const pending = this.#pending.get(address)
    if (pending !== undefined) return pending
    if (this.#waiting.length >= waitingMax) return null
    const search = this.#search(address)
    this.#pending.set(address, search)
    return search
  }

  async #search(address: string): Promise<Outcome> {
    if (this.#running >= concurrentMax) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    this.#running++
    const era = this.#era
    try {
      const outcome = await this.#ask(address)
      if (era === this.#era) this.#keep(address, outcome)
      return outcome
    } finally {
      this.#running--
      this.#waiting.shift()?.()
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
