import { maxLineBytes } from '../chunk.ts'
import type { LineMatcher } from './line-filter.ts'

/** An offset in the old version of a file, and the amount removed before it. */
export interface Mark {
  readonly at: number
  removedBytes: number
  removedLines: number
}

export const markAt = (at: number): Mark => ({ at, removedBytes: 0, removedLines: 0 })

const lineFeed = 10

/** Separates matching lines from the others, block by block; stores no text. */
export class LineSplitter {
  lines = 0
  removedLines = 0
  removedBytes = 0
  /** Bytes judged so far: the offset of the next block. */
  at = 0
  readonly #matcher: LineMatcher
  readonly #marks: readonly Mark[]
  #isInsideLongLine = false

  constructor(matcher: LineMatcher, marks: readonly Mark[] = []) {
    this.#matcher = matcher
    this.#marks = marks
  }

  /**
   * Judges the complete lines of `buffer`, which begins at `at`; runs of kept lines go to `keep`.
   * Returns the bytes consumed; the rest must be fed again with more data. Keeps lines that are too
   * long for the parser.
   */
  feed(buffer: Uint8Array, keep: (from: number, to: number) => void): number {
    let at = 0
    let keptFrom = 0
    for (;;) {
      const end = buffer.indexOf(lineFeed, at)
      if (end < 0) break
      const isLong = this.#isInsideLongLine || end - at > maxLineBytes
      this.#isInsideLongLine = false
      this.lines++
      if (!isLong && this.#matcher.matches(buffer, at, end)) {
        if (at > keptFrom) keep(keptFrom, at)
        keptFrom = end + 1
        this.#remove(this.at + at, end + 1 - at)
      }
      at = end + 1
    }
    if (buffer.length - at > maxLineBytes) {
      this.#isInsideLongLine = true
      at = buffer.length
    }
    if (at > keptFrom) keep(keptFrom, at)
    this.at += at
    return at
  }

  #remove(at: number, bytes: number): void {
    this.removedLines++
    this.removedBytes += bytes
    for (const mark of this.#marks) {
      if (mark.at < at + bytes) continue
      mark.removedBytes += bytes
      mark.removedLines++
    }
  }
}
