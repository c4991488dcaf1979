import { AppError } from '../../core/http/errors.ts'

/** Exports at the same time; each holds a connection to the history. */
export const exportsMax = 4
const retryAfterSeconds = 10

const tooMany = (text: string) =>
  new AppError('tooMany', text, { headers: { 'Retry-After': String(retryAfterSeconds) } })

/** How many exports run, and whose. */
export class ExportSlots {
  readonly #sessions = new Set<string>()

  get taken(): number {
    return this.#sessions.size
  }

  /** Answers how to give the slot back, which may be called again. Throws `tooMany`. */
  take(session: string): () => void {
    if (this.#sessions.has(session)) throw tooMany('An export of yours is still running')
    if (this.#sessions.size >= exportsMax) {
      throw tooMany(`${exportsMax} exports are running: try again when one of them has ended`)
    }
    this.#sessions.add(session)
    let isTaken = true
    return () => {
      if (isTaken) this.#sessions.delete(session)
      isTaken = false
    }
  }
}
