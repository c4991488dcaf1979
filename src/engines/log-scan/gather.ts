import {
  cacheHit,
  cacheMiss,
  firstByteOf,
  isHealthCheck,
  Line,
  type Tag,
} from '../logs/lines/line.ts'
import { observationOf } from '../logs/changes/line-filter.ts'
import { targetText } from '../logs/lines/object-keys.ts'
import { parseLine, type SeriesHint } from '../logs/lines/parse-line.ts'
import { latin1 } from '../titles/bytes.ts'
import type { LogScanRequest, Miss, ObservedRange } from './contract.ts'
import {
  keyFormatOf,
  normalisedPath,
  partsOf,
  type KeyFormat,
  type KeyScheme,
  type SliceRange,
} from '../cache/format/key-scheme.ts'
import { RepeatWindows } from './windows.ts'

/** Common to all misses of a group. */
export interface GroupFacts {
  tag: Tag
  keyFormat: KeyFormat
  path: string
  slice: SliceRange
  range: ObservedRange
}

const letterG = 0x47
const maxPathLength = 2000
const quotedMiss = Buffer.from('"MISS"')
const bareMiss = Buffer.from(' MISS ')

/** MISS only, not the other states that also mean downloaded bytes. */
const isExactMiss = (buffer: Buffer, from: number, to: number): boolean => {
  const rest = buffer.subarray(from, to)
  return rest.includes(quotedMiss) || rest.includes(bareMiss)
}

const pathOf = ({ isRaw }: KeyFormat, rawUrl: string): string =>
  isRaw ? rawUrl.slice(0, maxPathLength) : normalisedPath(rawUrl)

const groupKey = ({ keyTag }: KeyFormat, path: string, slice: SliceRange): string =>
  `${keyTag}\n${path}\n${slice.kind === 'whole' ? '' : slice.start}`

/** Groups the misses of one datasource's log by cache file. */
export class MissGatherer {
  linesRead = 0
  unsupportedRanges = 0
  readonly windows: RepeatWindows<GroupFacts, Miss>
  readonly #request: Pick<LogScanRequest, 'sliceBytes' | 'fromS' | 'toS'>
  readonly #scheme: KeyScheme
  readonly #line: Line
  readonly #keyFormats = new Map<Tag, KeyFormat | null>()

  constructor(request: LogScanRequest, maxGroups?: number) {
    this.#request = request
    this.#scheme = request.scheme
    this.#line = new Line(request.timeZone)
    this.windows = new RepeatWindows(request.threshold, maxGroups)
  }

  take(hint: SeriesHint, buffer: Buffer, span: { from: number; to: number }): void {
    const line = this.#line
    this.linesRead++
    if (line.isFull) {
      line.forget()
      this.#keyFormats.clear()
    }
    // The parser trims the carriage return and spaces from a copy of the span.
    if (parseLine(line, hint, buffer, span) !== 'parsed') return
    const { fromS, toS } = this.#request
    if (line.timeS < fromS || line.timeS > toS) return
    if (!this.windows.advance(line.timeS)) return
    if (line.cache === cacheHit) this.#takeHit(line, buffer)
    const isAnswer = line.status === 200 || line.status === 206
    if (line.cache !== cacheMiss || !isAnswer || line.methodFirst !== letterG) return
    if (line.isProbe || isHealthCheck(buffer, line.target)) return
    if (!isExactMiss(buffer, span.from, span.to)) return
    this.#takeMiss(line, buffer)
  }

  /** Whatever was missed before, the proxy can serve it now. */
  #takeHit(line: Line, buffer: Buffer): void {
    if (this.windows.isEmpty) return
    const keyFormat = this.#keyFormatOf(line.tag)
    if (keyFormat === null) return
    const path = pathOf(keyFormat, targetText(line, buffer))
    const firstByte = firstByteOf(buffer, line.range)
    for (const slice of partsOf(keyFormat, firstByte, this.#request.sliceBytes)) {
      this.windows.clear(groupKey(keyFormat, path, slice), line.timeS)
    }
  }

  #takeMiss(line: Line, buffer: Buffer): void {
    const keyFormat = this.#keyFormatOf(line.tag)
    if (keyFormat === null) return
    const range = rangeOf(latin1(buffer, line.range.from, line.range.to))
    if (range === null) {
      this.unsupportedRanges++
      return
    }
    const rawUrl = targetText(line, buffer)
    const path = pathOf(keyFormat, rawUrl)
    const miss: Miss = { line: observationOf(line, buffer), rawUrl: rawUrl.slice(0, maxPathLength) }
    const { tag, timeS } = line
    const firstByte = range.kind === 'inclusive' ? range.start : 0
    const parts = partsOf(keyFormat, firstByte, this.#request.sliceBytes)
    // Requests for a range mean the slice, if there are slices.
    for (const slice of range.kind === 'inclusive' ? parts.slice(0, 1) : parts) {
      const facts = { tag, keyFormat, path, slice, range }
      this.windows.add(groupKey(keyFormat, path, slice), timeS, miss, () => facts)
    }
  }

  #keyFormatOf(tag: Tag): KeyFormat | null {
    let keyFormat = this.#keyFormats.get(tag)
    if (keyFormat === undefined) {
      keyFormat = keyFormatOf(this.#scheme, tag.service)
      this.#keyFormats.set(tag, keyFormat)
    }
    return keyFormat
  }
}

const oneRange = /^bytes=(\d{1,15})-(\d{1,15})$/

/** A range header as logged; null: one that identifies no slice. */
export function rangeOf(text: string): ObservedRange | null {
  if (text === '' || text === '-') return { kind: 'no_range' }
  const match = oneRange.exec(text)
  if (match === null) return null
  const [start, end] = [Number(match[1]), Number(match[2])]
  return end < start ? null : { kind: 'inclusive', start, end }
}
