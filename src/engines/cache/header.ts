import { structuralIssues, type SkipReason, type StructuralIssue } from './contract.ts'

/**
 * Head of a cache file as nginx writes it (version 5, 64 bit, little endian): 336 bytes, then
 * `\nKEY: <key>\n`, then the answer's head as the origin sent it, then the payload.
 */
const fixedBytes = 336
const keyMark = Buffer.from('\nKEY: ')
const keyStart = fixedBytes + keyMark.length
const version = 5
const textBytesMax = 128
/** Header and key end below 64 KiB because their offsets have 16 bits. */
export const headBytesMax = 65_535

export interface CacheHead {
  /** Raw bytes of the key; null when they could not be found. */
  key: Uint8Array | null
  etag: string
  /** Other answers may be stored for other kinds of requests. */
  hasVary: boolean
  lastModifiedAt: number
  storedAt: number
  headerStart: number | null
  bodyStart: number | null
  httpStatus: number | null
  contentLength: number | null
  /** As sent, for people. */
  contentRange: string | null
  /** First byte and length of the whole object after Content-Range; null without. */
  range: { first: number; last: number; total: number | null } | null
  expectedPayloadBytes: number | null
  issues: StructuralIssue[]
  skipped: SkipReason | null
}

const blank: CacheHead = {
  key: null,
  etag: '',
  hasVary: false,
  lastModifiedAt: -1,
  storedAt: 0,
  headerStart: null,
  bodyStart: null,
  httpStatus: null,
  contentLength: null,
  contentRange: null,
  range: null,
  expectedPayloadBytes: null,
  issues: [],
  skipped: null,
}

const found = (issue: StructuralIssue, known: Partial<CacheHead> = {}): CacheHead => ({
  ...blank,
  ...known,
  issues: [issue],
})

/**
 * Reads and judges the beginning of a cache file. `bytes` holds the file's first bytes (all of the
 * head, or as much as the file has), `fileBytes` is its length, `name` its file name (32 hex
 * digits). Never throws, whatever the bytes are. The checks come in a fixed order; the first
 * finding ends them.
 */
export function readHead(bytes: Buffer, fileBytes: number, name: string): CacheHead {
  if (fileBytes === 0) return found('empty_cache_file')
  if (bytes.length < keyStart) {
    if (bytes.every((byte) => byte === 0)) return found('malformed_cache_header')
    return found('truncated_cache_header')
  }
  if (bytes.readUInt32LE(0) !== version || bytes.readUInt32LE(4) !== 0) {
    const isBlank = bytes.subarray(0, fixedBytes).every((byte) => byte === 0)
    if (isBlank) return found('malformed_cache_header')
    return { ...blank, skipped: 'unsupported_cache_version' }
  }
  const headerStart = bytes.readUInt16LE(54)
  const bodyStart = bytes.readUInt16LE(56)
  const known: Partial<CacheHead> = {
    headerStart,
    bodyStart,
    lastModifiedAt: secondsAt(bytes, 32),
    storedAt: secondsAt(bytes, 40),
  }
  const hasMark = keyMark.compare(bytes, fixedBytes, keyStart) === 0
  if (!hasMark || headerStart <= keyStart) return found('malformed_cache_header', known)
  if (headerStart > bodyStart) return found('invalid_payload_offset', known)
  if (headerStart > fileBytes) return found('truncated_cache_header', known)
  if (bodyStart > fileBytes) return found('truncated_before_payload', known)
  return judgeKey(bytes, fileBytes, { name, known, headerStart, bodyStart })
}

/** Signed 64-bit seconds; without the cost of a big integer, exact as far as numbers are. */
const secondsAt = (bytes: Buffer, at: number): number =>
  bytes.readInt32LE(at + 4) * 4_294_967_296 + bytes.readUInt32LE(at)

interface Place {
  name: string
  known: Partial<CacheHead>
  headerStart: number
  bodyStart: number
}

function judgeKey(bytes: Buffer, fileBytes: number, place: Place): CacheHead {
  const { name, known, headerStart, bodyStart } = place
  const key = bytes.subarray(keyStart, headerStart - 1)
  const etagLength = bytes[58] as number
  const varyLength = bytes[187] as number
  const isWhole =
    bytes[headerStart - 1] === 0x0a &&
    key.length > 0 &&
    Bun.hash.crc32(key) === bytes.readUInt32LE(48) &&
    etagLength <= textBytesMax &&
    varyLength <= textBytesMax
  if (!isWhole) return found('malformed_cache_header', known)
  const etag = bytes.toString('latin1', 59, 59 + etagLength)
  const hasVary = varyLength > 0
  const withKey: Partial<CacheHead> = { ...known, key: new Uint8Array(key), etag, hasVary }
  const digest = Bun.MD5.hash(key, 'hex')
  const isVariant = hasVary && bytes.toString('hex', 316, 332) === name
  if (digest !== name && !isVariant) return found('cache_key_path_mismatch', withKey)
  const answer = readAnswer(bytes.toString('latin1', headerStart, bodyStart))
  const head = { ...blank, ...withKey, ...answer }
  if (head.skipped !== null) return head
  return judgePayload(head, fileBytes - bodyStart)
}

function judgePayload(head: CacheHead, payloadBytes: number): CacheHead {
  const { range, contentLength } = head
  if (head.httpStatus === 200) {
    if (payloadBytes === contentLength) return { ...head, expectedPayloadBytes: contentLength }
    const issues: StructuralIssue[] = ['payload_length_mismatch']
    return { ...head, expectedPayloadBytes: contentLength, issues }
  }
  if (range === null) return { ...head, skipped: 'unsupported_range_shape' }
  const span = range.last - range.first + 1
  const issues: StructuralIssue[] = []
  if (contentLength !== null && contentLength !== span) issues.push('content_length_range_conflict')
  if (payloadBytes !== span) issues.push('content_range_length_mismatch')
  return { ...head, expectedPayloadBytes: span, issues }
}

type Answer = Pick<CacheHead, 'httpStatus' | 'contentLength' | 'contentRange' | 'range' | 'skipped'>

const digits = /^\d{1,15}$/
const rangeValue = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i
const wantedHeaders = [
  'content-length',
  'content-range',
  'content-type',
  'transfer-encoding',
] as const
type WantedHeader = (typeof wantedHeaders)[number]
/** First letters of the wanted headers, both cases: other lines are passed over unread. */
const wantedLetters = new Set(Buffer.from('cCtT'))
const space = 0x20
const tab = 0x09

const noFacts = { httpStatus: null, contentLength: null, contentRange: null, range: null }

/** `HTTP/1.0` or `HTTP/1.1`, three digits; null for anything else. */
function statusOf(text: string): number | null {
  const isHttp = text.startsWith('HTTP/1.1 ') || text.startsWith('HTTP/1.0 ')
  const status = text.slice(9, 12)
  const after = text.charCodeAt(12)
  const isLine = isHttp && /^\d{3}$/.test(status)
  return isLine && (text.length === 12 || after === space || after === 0x0d) ? Number(status) : null
}

/** Values of the headers that tell a length, by name; null when a line is folded. */
function wantedValues(text: string): Partial<Record<WantedHeader, string[]>> | null {
  const values: Partial<Record<WantedHeader, string[]>> = {}
  let start = text.indexOf('\r\n')
  while (start >= 0) {
    start += 2
    const end = text.indexOf('\r\n', start)
    const first = text.charCodeAt(start)
    if (first === space || first === tab) return null
    if (wantedLetters.has(first)) {
      const line = text.slice(start, end < 0 ? text.length : end)
      const colon = line.indexOf(':')
      const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase()
      const wanted = wantedHeaders.find((one) => one === name)
      if (wanted !== undefined) (values[wanted] ??= []).push(line.slice(colon + 1).trim())
    }
    start = end
  }
  return values
}

/** The answer's head as nginx stored it: status, and the headers that tell a length. */
function readAnswer(text: string): Answer {
  const httpStatus = statusOf(text)
  if (httpStatus !== 200 && httpStatus !== 206) {
    return { ...noFacts, httpStatus, skipped: 'unsupported_status' }
  }
  const values = wantedValues(text)
  const lengths = values?.['content-length'] ?? []
  if (values === null || lengths.length > 1 || lengths.some((value) => !digits.test(value))) {
    return { ...noFacts, httpStatus, skipped: 'ambiguous_http_headers' }
  }
  const ranges = values['content-range'] ?? []
  const contentLength = lengths.length === 1 ? Number(lengths[0]) : null
  const contentRange = ranges[0] ?? null
  const answer: Answer = { httpStatus, contentLength, contentRange, range: null, skipped: null }
  if (httpStatus === 200) {
    const isChunked = (values['transfer-encoding'] ?? []).some((value) => /chunked/i.test(value))
    const hasLength = contentLength !== null && !isChunked
    return hasLength ? answer : { ...answer, skipped: 'no_authoritative_length' }
  }
  return Object.assign(answer, readRange(ranges, values['content-type'] ?? []))
}

function readRange(ranges: string[], types: string[]): Pick<CacheHead, 'range' | 'skipped'> {
  const refused = { range: null, skipped: 'unsupported_range_shape' } as const
  if (ranges.length !== 1 || types.some((type) => /^multipart\//i.test(type))) return refused
  const match = rangeValue.exec(ranges[0] as string)
  if (match === null) return refused
  const [first, last] = [Number(match[1]), Number(match[2])]
  if (last < first) return refused
  const total = match[3] === '*' ? null : Number(match[3])
  return { range: { first, last, total }, skipped: null }
}

/** Findings as the bits of the index's `issues` column. */
export const issueBits = (issues: readonly StructuralIssue[]): number =>
  issues.reduce((bits, issue) => bits | (1 << structuralIssues.indexOf(issue)), 0)

/** The findings that a value of the index's `issues` column stands for. */
export const issuesOf = (bits: number): StructuralIssue[] =>
  structuralIssues.filter((_, index) => (bits & (1 << index)) !== 0)
