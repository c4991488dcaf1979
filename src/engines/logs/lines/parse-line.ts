import type { Line, Tag } from './line.ts'
import { parseCachelog } from './parse-cachelog.ts'
import { looksDetailed, parseDetailed } from './parse-detailed.ts'
import { parseJson } from './parse-json.ts'
import { rowLimits } from '../../shipper/row-limits.ts'

/** The result of parsing a line. */
export type LineOutcome =
  | 'parsed'
  | 'blank'
  | 'unparsed'
  | 'invalid_encoding'
  | 'hintless_detailed'
  | 'fallback'
  | 'impossible_time'
  | 'impossible_count'

export interface SeriesHint {
  /** Service by file name; null: a shared file whose lines carry a tag. */
  tag: Tag | null
  /** Lines are counted but not parsed. */
  isFallback: boolean
}

const carriageReturn = 0x0d
const openBrace = 0x7b
const strict = new TextDecoder('utf-8', { fatal: true })

const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x09 || byte === carriageReturn || byte === 0

/** Parses one line (without its line feed) into `line`. Never throws, whatever the bytes. */
export function parseLine(
  line: Line,
  hint: SeriesHint,
  buffer: Uint8Array,
  span: { from: number; to: number },
): LineOutcome {
  let { from, to } = span
  if (buffer[to - 1] === carriageReturn) to--
  // A file truncated while being written begins with zero bytes.
  while (from < to && isBlank(buffer[from])) from++
  // A byte order mark, which editors and Windows tools put at the beginning of a file.
  if (buffer[from] === 0xef && buffer[from + 1] === 0xbb && buffer[from + 2] === 0xbf) from += 3
  if (from >= to) return 'blank'
  if (hint.isFallback) return 'fallback'
  if (buffer[from] === openBrace) {
    if (!parseJson(line, buffer, from, to)) return failed(buffer, from, to)
  } else if (looksDetailed(buffer, from, to)) {
    if (hint.tag === null) return 'hintless_detailed'
    if (!parseDetailed(line, buffer, from, to)) return failed(buffer, from, to)
  } else if (!parseCachelog(line, buffer, from, to)) return failed(buffer, from, to)
  if (!(line.timeS >= rowLimits.earliestS)) return 'impossible_time'
  if (!(line.bytes <= rowLimits.bytes)) return 'impossible_count'
  if (hint.tag !== null) line.tag = hint.tag
  return 'parsed'
}

function failed(buffer: Uint8Array, from: number, to: number): LineOutcome {
  try {
    strict.decode(buffer.subarray(from, to))
    return 'unparsed'
  } catch {
    return 'invalid_encoding'
  }
}
