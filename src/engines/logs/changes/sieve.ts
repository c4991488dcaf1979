import { maxLineBytes } from '../chunk.ts'
import type { LineMatcher } from './line-filter.ts'

/** An offset in the old version of a file; what was removed before it, so that it can be moved. */
export interface Mark {
  readonly at: number
  removedBytes: number
  removedLines: number
}

export const markAt = (at: number): Mark => ({ at, removedBytes: 0, removedLines: 0 })

const lineFeed = 10

/** Parts lines that are meant from those that stay, block by block; holds no text. */
export class LineSieve {
  lines = 0
  removedLines = 0
  removedBytes = 0
  /** Bytes that were judged so far: where the next block has to begin. */
  at = 0
  readonly #matcher: LineMatcher
  readonly #marks: readonly Mark[]
  #isInsideLongLine = false

  constructor(matcher: LineMatcher, marks: readonly Mark[] = []) {
    this.#matcher = matcher
    this.#marks = marks
  }

  /**
   * Judges the complete lines of `buffer`, which begins at `at`; runs that stay are handed to
   * `keep`. Answers the bytes that are done with; the rest has to come again with more behind it.
   * Lines that are too long for the parser stay.
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
