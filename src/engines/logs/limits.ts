import type { LimitName, ReachedLimit } from './contract.ts'

/** Reports a limit that was reached: which, its value, and where. */
export type NoteLimit = (limit: LimitName, value: number, subject: string) => void

/** Limits reached since the start, each with its last time. */
export class ReachedLimits {
  readonly #reached = new Map<LimitName, ReachedLimit>()

  readonly note: NoteLimit = (limit, value, subject) => {
    this.#reached.set(limit, { limit, value, subject, at: new Date().toISOString() })
  }

  list(): ReachedLimit[] {
    return [...this.#reached.values()]
  }
}
