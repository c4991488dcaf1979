import type { LimitName, ReachedLimit } from './contract.ts'

/** Says that a bound was reached: which, its value, and what it is about. */
export type NoteLimit = (limit: LimitName, value: number, subject: string) => void

/** Bounds that were reached since the start; of each the last time. */
export class ReachedLimits {
  readonly #reached = new Map<LimitName, ReachedLimit>()

  readonly note: NoteLimit = (limit, value, subject) => {
    this.#reached.set(limit, { limit, value, subject, at: new Date().toISOString() })
  }

  list(): ReachedLimit[] {
    return [...this.#reached.values()]
  }
}
