import type { Accumulator } from './downloads/accumulator.ts'
import type { LineCounts } from './lines/outcome.ts'
import type { LineReader } from './lines/line-reader.ts'
import type { LineOutcome, SeriesHint } from './lines/parse-line.ts'
import type { Lane } from './downloads/session.ts'

/** Longer lines are skipped without being held in memory. */
export const maxLineBytes = 65_536

const lineFeed = 10
const counterOf = {
  parsed: 'parsedLines',
  blank: 'blankLines',
  unparsed: 'unparsedLines',
  invalid_encoding: 'invalidEncodingLines',
  hintless_detailed: 'hintlessHttpDetailedLines',
  fallback: 'skippedFallbackLines',
  impossible_time: 'impossibleTimeLines',
  impossible_count: 'impossibleCountLines',
} as const satisfies Record<LineOutcome, keyof LineCounts>

export interface ChunkInput {
  accumulator: Accumulator
  reader: LineReader
  lane: Lane
  hint: SeriesHint
  counts: LineCounts
  /** Receives a bounded sample of an unreadable line. */
  sample(outcome: LineOutcome, text: Uint8Array): void
}

export interface ChunkResult {
  /** Bytes consumed. */
  consumed: number
  lines: number
  isInsideLongLine: boolean
}

/** Reads the complete lines of `buffer`; leaves the rest after the last line feed for later. */
export function readChunk(
  input: ChunkInput,
  buffer: Uint8Array,
  isInsideLongLine: boolean,
): ChunkResult {
  const { accumulator, reader, lane, hint, counts } = input
  const span = { from: 0, to: 0 }
  let at = 0
  let lines = 0
  if (isInsideLongLine) {
    const end = buffer.indexOf(lineFeed)
    if (end < 0) return { consumed: buffer.length, lines, isInsideLongLine: true }
    at = end + 1
    lines++
  }
  for (;;) {
    const end = buffer.indexOf(lineFeed, at)
    if (end < 0) break
    span.from = at
    span.to = end
    at = end + 1
    lines++
    if (span.to - span.from > maxLineBytes) {
      counts.overlongLines++
      continue
    }
    const outcome = reader.read(hint, buffer, span)
    if (outcome === 'parsed') {
      if (accumulator.add(lane, reader.line, buffer)) counts.parsedLines++
      else counts.ignoredLines++
      continue
    }
    counts[counterOf[outcome]]++
    if (outcome !== 'blank' && outcome !== 'fallback') {
      input.sample(outcome, buffer.subarray(span.from, Math.min(span.to, span.from + 300)))
    }
  }
  accumulator.endChunk(buffer)
  if (buffer.length - at <= maxLineBytes) return { consumed: at, lines, isInsideLongLine: false }
  counts.overlongLines++
  return { consumed: buffer.length, lines, isInsideLongLine: true }
}
