import type { Clock } from '../lib/clock.ts'
import type { Timers } from '../lib/timers.ts'
import type { OperationProgress } from './contract.ts'

/** Progress is passed on at most four times a second. */
const passEveryMs = 250

/** Passes on at most one report per interval; a held report follows, and the last one always. */
export class ProgressThrottle {
  readonly #time: { clock: Clock; timers: Timers }
  readonly #pass: (fields: OperationProgress['fields']) => void
  #passedAtMs = Number.NEGATIVE_INFINITY
  #held: { fields: OperationProgress['fields'] } | null = null
  #cancelTimer: (() => void) | null = null

  constructor(
    time: { clock: Clock; timers: Timers },
    pass: (fields: OperationProgress['fields']) => void,
  ) {
    this.#time = time
    this.#pass = pass
  }

  offer(fields: OperationProgress['fields']): void {
    this.#held = { fields: fields ?? this.#held?.fields }
    const waitMs = this.#passedAtMs + passEveryMs - this.#time.clock.elapsedMs()
    if (waitMs <= 0) this.flush()
    else this.#cancelTimer ??= this.#time.timers.after(waitMs, () => this.flush())
  }

  /** Passes on a held report at once. */
  flush(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
    const held = this.#held
    if (held === null) return
    this.#held = null
    this.#passedAtMs = this.#time.clock.elapsedMs()
    this.#pass(held.fields)
  }
}
