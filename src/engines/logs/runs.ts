import type { SourcePositions } from './wire.ts'
import type { LineCounts } from './lines/outcome.ts'
import type { LogStore } from './store.ts'

export type TerminalStatus = SourcePositions['lastRunTerminalStatus']

interface Note {
  status: TerminalStatus
  /** Lines that could not be read, over all time; a run with more of them has warnings. */
  unreadableLines: number
}

const keyOf = (datasource: string) => `last_run:${datasource}`

/** Lines of a datasource without a known request format. */
export const unreadableOf = (counts: LineCounts): number =>
  counts.unparsedLines +
  counts.invalidEncodingLines +
  counts.overlongLines +
  counts.impossibleTimeLines +
  counts.impossibleCountLines

/** How the last run over each datasource ended; stored, so that it survives a restart. */
export class RunNotes {
  readonly #store: LogStore
  readonly #notes = new Map<string, Note>()

  constructor(store: LogStore) {
    this.#store = store
  }

  of(datasource: string): TerminalStatus {
    return this.#note(datasource).status
  }

  /** Status of a run that reached the end, given the current number of unreadable lines. */
  ending(
    datasource: string,
    now: { hasErrors: boolean; unreadableLines: number },
  ): 'completed' | 'completed_with_warnings' | 'partial' {
    if (now.hasErrors) return 'partial'
    const before = this.#note(datasource).unreadableLines
    return now.unreadableLines > before ? 'completed_with_warnings' : 'completed'
  }

  /** Throws the store's errors; the record stays in memory anyway. */
  remember(datasource: string, status: TerminalStatus, unreadableLines: number): void {
    const note = { status, unreadableLines }
    this.#notes.set(datasource, note)
    this.#store.setMeta(keyOf(datasource), JSON.stringify(note))
  }

  #note(datasource: string): Note {
    const known = this.#notes.get(datasource)
    if (known !== undefined) return known
    const text = this.#store.meta(keyOf(datasource))
    // Written only by `remember`.
    const note = text === null ? nothing : (JSON.parse(text) as Note)
    this.#notes.set(datasource, note)
    return note
  }
}

const nothing: Note = { status: '', unreadableLines: 0 }
