import { sameBytes } from '../../titles/bytes.ts'
import { structuralIssues, type StructuralIssue } from '../contract.ts'
import { readStoredAnswer, type StoredAnswer } from './stored-answer.ts'

/**
 * Start of a cache file as nginx writes it (version 5, 64 bit, little endian): 336 bytes, then `
 * KEY: <key>
 * `, then the origin's response headers, then the payload.
 */
const fixedBytes = 336
const keyMark = Buffer.from('\nKEY: ')
const keyStart = fixedBytes + keyMark.length
const version = 5
const textBytesMax = 128
/** Cache header, key and response headers end below 64 KiB because their offsets have 16 bits. */
export const headBytesMax = 65_535

export interface CacheHead extends StoredAnswer {
  /** Raw bytes of the key, a view of the bytes read; null if not found. */
  key: Buffer | null
  /** Of the header's layout; null where the file ends before it. */
  version: number | null
  /** When it becomes stale, in Unix seconds; of version 5 only. */
  validUntil: number
  etag: string
  /** Other variants may be stored for other request headers. */
  hasVary: boolean
  lastModifiedAt: number
  storedAt: number
  headerStart: number | null
  bodyStart: number | null
  expectedPayloadBytes: number | null
  issues: StructuralIssue[]
}

/** One object per file, filled in as far as the checks get: a walk makes a million of them. */
const newHead = (): CacheHead => ({
  key: null,
  version: null,
  validUntil: -1,
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
})

function found(head: CacheHead, issue: StructuralIssue): CacheHead {
  head.issues.push(issue)
  return head
}

/**
 * Reads and judges the start of a cache file. `bytes` holds the file's first bytes (everything
 * before the payload, or the whole file if shorter), `fileBytes` is its length, `name` its file
 * name (32 hex digits). Never throws, whatever the bytes. The checks run in a fixed order and stop
 * at the first finding.
 */
export function readHead(bytes: Buffer, fileBytes: number, name: string): CacheHead {
  const head = newHead()
  if (fileBytes === 0) return found(head, 'empty_cache_file')
  if (bytes.length < keyStart) {
    const isBlank = bytes.every((byte) => byte === 0)
    return found(head, isBlank ? 'malformed_cache_header' : 'truncated_cache_header')
  }
  head.version = integerAt(bytes, 0)
  // No release of nginx wrote version 0: the beginning was overwritten with zeros.
  if (head.version === 0) return found(head, 'malformed_cache_header')
  if (head.version !== version) {
    head.skipped = 'unsupported_cache_version'
    return head
  }
  const headerStart = bytes.readUInt16LE(54)
  const bodyStart = bytes.readUInt16LE(56)
  head.headerStart = headerStart
  head.bodyStart = bodyStart
  head.validUntil = integerAt(bytes, 8)
  head.lastModifiedAt = integerAt(bytes, 32)
  head.storedAt = integerAt(bytes, 40)
  const hasMark = sameBytes(bytes, fixedBytes, keyMark)
  if (!hasMark || headerStart <= keyStart) return found(head, 'malformed_cache_header')
  if (headerStart > bodyStart) return found(head, 'invalid_payload_offset')
  if (headerStart > fileBytes) return found(head, 'truncated_cache_header')
  if (bodyStart > fileBytes) return found(head, 'truncated_before_payload')
  return judgeKey(bytes, head, { name, headerStart, bodyStart, fileBytes })
}

/** A signed 64-bit integer as a number: avoids BigInt, exact within the safe integers. */
const integerAt = (bytes: Buffer, at: number): number =>
  bytes.readInt32LE(at + 4) * 4_294_967_296 + bytes.readUInt32LE(at)

interface Place {
  name: string
  headerStart: number
  bodyStart: number
  fileBytes: number
}

function judgeKey(bytes: Buffer, head: CacheHead, place: Place): CacheHead {
  const { name, headerStart, bodyStart, fileBytes } = place
  const key = bytes.subarray(keyStart, headerStart - 1)
  const etagLength = bytes[58] as number
  const varyLength = bytes[187] as number
  const isWhole =
    bytes[headerStart - 1] === 0x0a &&
    key.length > 0 &&
    Bun.hash.crc32(key) === bytes.readUInt32LE(48) &&
    etagLength <= textBytesMax &&
    varyLength <= textBytesMax
  if (!isWhole) return found(head, 'malformed_cache_header')
  head.key = key
  head.etag = bytes.toString('latin1', 59, 59 + etagLength)
  head.hasVary = varyLength > 0
  if (Bun.MD5.hash(key, 'hex') !== name) {
    const isVariant = head.hasVary && bytes.toString('hex', 316, 332) === name
    if (!isVariant) return found(head, 'cache_key_path_mismatch')
  }
  const answer = { from: headerStart, to: Math.min(bodyStart, bytes.length) }
  readStoredAnswer(bytes, answer, head)
  if (head.skipped === null) judgePayload(head, fileBytes - bodyStart)
  return head
}

/** Compares the payload's length with what the headers promise. */
function judgePayload(head: CacheHead, payloadBytes: number): void {
  const { range, contentLength } = head
  if (range === null) {
    head.expectedPayloadBytes = contentLength
    if (payloadBytes !== contentLength) found(head, 'payload_length_mismatch')
    return
  }
  const span = range.last - range.first + 1
  head.expectedPayloadBytes = span
  if (contentLength !== null && contentLength !== span) found(head, 'content_length_range_conflict')
  if (payloadBytes !== span) found(head, 'content_range_length_mismatch')
}

/** Findings as bits of the index's `issues` column. */
export const issueBits = (issues: readonly StructuralIssue[]): number =>
  issues.length === 0
    ? 0
    : issues.reduce((bits, issue) => bits | (1 << structuralIssues.indexOf(issue)), 0)
