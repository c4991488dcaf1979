import type { ReachedLimit } from './wire.ts'

/** Objects, title keys or observations of one filter; about 100 MB of memory at worst. */
export const maxFilterEntries = 500_000

/** Reports a limit that was reached: which, its value, and where. */
export type NoteLimit = (limit: ReachedLimit['limit'], value: number, subject: string) => void

/** Limits reached since the start, each with its last time. */
export class ReachedLimits {
  readonly #reached = new Map<ReachedLimit['limit'], ReachedLimit>()

  readonly note: NoteLimit = (limit, value, subject) => {
    this.#reached.set(limit, { limit, value, subject, at: new Date().toISOString() })
  }

  list(): ReachedLimit[] {
    return [...this.#reached.values()]
  }
}
