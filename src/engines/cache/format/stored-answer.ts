import { sameBytes, type ByteSpan } from '../../titles/bytes.ts'
import type { SkipReason } from '../contract.ts'

/** What the headers of a stored response state about the length of its payload. */
export interface StoredAnswer {
  httpStatus: number | null
  contentLength: number | null
  /** As sent, for display. */
  contentRange: string | null
  /** Byte range and object length from Content-Range; null without the header. */
  range: { first: number; last: number; total: number | null } | null
  skipped: SkipReason | null
}

/** Values of the length headers; those that must occur once are counted. */
interface Lengths {
  lengths: number
  /** -1: not a number. */
  contentLength: number
  ranges: number
  /** Of the first Content-Range. */
  range: ByteSpan
  isMultipart: boolean
  isChunked: boolean
}

const [tab, lineFeed, carriageReturn, space, noBreakSpace] = [0x09, 0x0a, 0x0d, 0x20, 0xa0]
const [dash, slash, zero, colon, star] = [0x2d, 0x2f, 0x30, 0x3a, 0x2a]
const toLowerCase = 0x20
const [letterC, letterT] = [0x63, 0x74]
/** Numbers with more digits are rejected: up to here all are exact. */
const digitsMax = 15

const http10 = Buffer.from('HTTP/1.0 ')
const http11 = Buffer.from('HTTP/1.1 ')
const names = {
  contentLength: Buffer.from('content-length'),
  contentRange: Buffer.from('content-range'),
  contentType: Buffer.from('content-type'),
  transferEncoding: Buffer.from('transfer-encoding'),
}
const rangeUnit = Buffer.from('bytes ')
const multipart = Buffer.from('multipart/')
const chunked = /chunked/i

const isSpace = (byte: number): boolean =>
  (byte >= tab && byte <= carriageReturn) || byte === space || byte === noBreakSpace

const isDigit = (byte: number): boolean => byte >= zero && byte < colon

/** Whether `word`, given in lower case, stands there in any case. */
function isWordAt(bytes: Buffer, from: number, word: Buffer): boolean {
  for (let at = 0; at < word.length; at++) {
    const wanted = word[at] as number
    const byte = bytes[from + at] as number
    const isLetter = wanted >= 0x61 && wanted <= 0x7a
    if (byte !== wanted && !(isLetter && (byte | toLowerCase) === wanted)) return false
  }
  return true
}

function trimmed(bytes: Buffer, { from, to }: ByteSpan): ByteSpan {
  let [start, end] = [from, to]
  while (start < end && isSpace(bytes[start] as number)) start++
  while (end > start && isSpace(bytes[end - 1] as number)) end--
  return { from: start, to: end }
}

/** End of the digits that start at `from`. */
function digitsEnd(bytes: Buffer, { from, to }: ByteSpan): number {
  let at = from
  while (at < to && isDigit(bytes[at] as number)) at++
  return at
}

/** -1 unless the span holds 1 to 15 digits and nothing else. */
function numberIn(bytes: Buffer, span: ByteSpan): number {
  const { from, to } = span
  if (to === from || to - from > digitsMax || digitsEnd(bytes, span) !== to) return -1
  let value = 0
  for (let at = from; at < to; at++) value = value * 10 + (bytes[at] as number) - zero
  return value
}

/** `HTTP/1.0` or `HTTP/1.1`, three digits; null for anything else. */
function statusOf(bytes: Buffer, { from, to }: ByteSpan): number | null {
  const end = from + http11.length + 3
  if (end > to) return null
  if (!sameBytes(bytes, from, http11) && !sameBytes(bytes, from, http10)) return null
  const status = numberIn(bytes, { from: end - 3, to: end })
  const after = bytes[end]
  const isLine = end === to || after === space || after === carriageReturn
  return status >= 0 && isLine ? status : null
}

/** First byte after the next line end; -1: none. */
function nextLine(bytes: Buffer, { from, to }: ByteSpan): number {
  for (let at = from + 1; at < to; at++) {
    if (bytes[at] === lineFeed && bytes[at - 1] === carriageReturn) return at + 1
  }
  return -1
}

/** Null for a folded line. Skips lines that cannot state a length. */
function lengthsIn(bytes: Buffer, { from, to }: ByteSpan): Lengths | null {
  const found: Lengths = {
    lengths: 0,
    contentLength: -1,
    ranges: 0,
    range: { from, to: from },
    isMultipart: false,
    isChunked: false,
  }
  let start = nextLine(bytes, { from, to })
  while (start >= 0) {
    const next = nextLine(bytes, { from: start, to })
    if (start < to) {
      const first = bytes[start] as number
      if (first === space || first === tab) return null
      const letter = first | toLowerCase
      const end = next < 0 ? to : next - 2
      const mayCount = letter === letterT || (letter === letterC && bytes[start + 7] === dash)
      if (mayCount) readLine(bytes, { from: start, to: end }, found)
    }
    start = next
  }
  return found
}

function readLine(bytes: Buffer, { from, to }: ByteSpan, found: Lengths): void {
  let mark = from + names.contentType.length
  while (mark < to && bytes[mark] !== colon) mark++
  if (mark >= to) return
  let length = mark - from
  while (length > 0 && isSpace(bytes[from + length - 1] as number)) length--
  const isNamed = (name: Buffer) => name.length === length && isWordAt(bytes, from, name)
  const rest = { from: mark + 1, to }
  if (isNamed(names.contentLength)) {
    found.lengths++
    found.contentLength = numberIn(bytes, trimmed(bytes, rest))
  } else if (isNamed(names.contentRange)) {
    if (found.ranges === 0) found.range = trimmed(bytes, rest)
    found.ranges++
  } else if (isNamed(names.contentType)) {
    const type = trimmed(bytes, rest)
    const isLong = type.to - type.from >= multipart.length
    found.isMultipart ||= isLong && isWordAt(bytes, type.from, multipart)
  } else if (isNamed(names.transferEncoding)) {
    found.isChunked ||= chunked.test(textOf(bytes, rest))
  }
}

const textOf = (bytes: Buffer, { from, to }: ByteSpan): string => bytes.toString('latin1', from, to)

/** `bytes 0-99/200` or `bytes 0-99/*`; null for anything else. */
function rangeIn(bytes: Buffer, { from, to }: ByteSpan): StoredAnswer['range'] {
  if (to - from <= rangeUnit.length || !isWordAt(bytes, from, rangeUnit)) return null
  const firstAt = from + rangeUnit.length
  const firstEnd = digitsEnd(bytes, { from: firstAt, to })
  if (bytes[firstEnd] !== dash || firstEnd === to) return null
  const lastEnd = digitsEnd(bytes, { from: firstEnd + 1, to })
  if (bytes[lastEnd] !== slash || lastEnd === to) return null
  const first = numberIn(bytes, { from: firstAt, to: firstEnd })
  const last = numberIn(bytes, { from: firstEnd + 1, to: lastEnd })
  const isOpen = to === lastEnd + 2 && bytes[lastEnd + 1] === star
  const total = isOpen ? null : numberIn(bytes, { from: lastEnd + 1, to })
  return first < 0 || last < first || total === -1 ? null : { first, last, total }
}

/**
 * Parses the stored response headers into `answer`, whose fields are still null. Works byte by byte
 * for speed: a walk does this for every file of the cache.
 */
export function readStoredAnswer(bytes: Buffer, span: ByteSpan, answer: StoredAnswer): void {
  const httpStatus = statusOf(bytes, span)
  answer.httpStatus = httpStatus
  if (httpStatus !== 200 && httpStatus !== 206) {
    answer.skipped = 'unsupported_status'
    return
  }
  const found = lengthsIn(bytes, span)
  if (found === null || found.lengths > 1 || (found.lengths === 1 && found.contentLength < 0)) {
    answer.skipped = 'ambiguous_http_headers'
    return
  }
  if (found.lengths === 1) answer.contentLength = found.contentLength
  if (found.ranges > 0) answer.contentRange = textOf(bytes, found.range)
  if (httpStatus === 200) {
    const hasLength = found.lengths === 1 && !found.isChunked
    if (!hasLength) answer.skipped = 'no_authoritative_length'
    return
  }
  if (found.ranges === 1 && !found.isMultipart) answer.range = rangeIn(bytes, found.range)
  if (answer.range === null) answer.skipped = 'unsupported_range_shape'
}
