import { AppError } from '../../core/http/errors.ts'

/** Concurrent exports; each holds a connection to the history. */
export const exportsMax = 4
const retryAfterSeconds = 10

const tooMany = (text: string) =>
  new AppError('tooMany', text, { headers: { 'Retry-After': String(retryAfterSeconds) } })

/** Running exports and their sessions. */
export class ExportSlots {
  readonly #sessions = new Set<string>()

  get taken(): number {
    return this.#sessions.size
  }

  /** Returns a function that frees the slot; calling it again is harmless. Throws `tooMany`. */
  take(session: string): () => void {
    if (this.#sessions.has(session)) throw tooMany('Your previous export is still running')
    if (this.#sessions.size >= exportsMax) {
      throw tooMany(`${exportsMax} exports are running; try again when one of them has ended`)
    }
    this.#sessions.add(session)
    let isTaken = true
    return () => {
      if (isTaken) this.#sessions.delete(session)
      isTaken = false
    }
  }
}
