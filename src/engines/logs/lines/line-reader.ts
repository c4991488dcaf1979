import { noTitle, TitleReader } from '../../titles/titles.ts'
import { cacheNone, firstByteOf, isHealthCheck, isServed, type Line } from './line.ts'
import { hashPart, hashPath } from './object-keys.ts'
import { parseLine, type LineOutcome, type SeriesHint } from './parse-line.ts'

/** Reads everything about a line that depends on nothing but its bytes. */
export class LineReader {
  readonly line: Line
  readonly #titles = new TitleReader()

  constructor(line: Line) {
    this.line = line
  }

  /** True when the cache of names is full; then call `forget` between two chunks. */
  get isFull(): boolean {
    return this.line.isFull || this.#titles.isFull
  }

  forget(): void {
    this.line.forget()
    this.#titles.forget()
  }

  /** Parses one line (without its line feed) into `line`. */
  read(hint: SeriesHint, buffer: Uint8Array, span: { from: number; to: number }): LineOutcome {
    const { line } = this
    line.isPathHashed = false
    const outcome = parseLine(line, hint, buffer, span)
    if (outcome !== 'parsed') return outcome
    // The clock of the cache is or was ahead: what it served counts when it is read.
    if (line.isAhead) line.timeS = Math.floor(Date.now() / 1000)
    line.title = noTitle
    line.isHealthCheck = isHealthCheck(buffer, line.target)
    if (line.isHealthCheck || line.isProbe || !isServed(line)) return outcome
    const { platform } = line.tag
    if (platform !== null) line.title = this.#titles.read(platform, buffer, line.target, line.host)
    if (line.cache === cacheNone || line.bytes === 0) return outcome
    line.firstByte = firstByteOf(buffer, line.range)
    if (!line.isPathHashed) line.pathHash = hashPath(buffer, line.target)
    line.objectHash = hashPart(line.pathHash, line.firstByte)
    return outcome
  }
}
