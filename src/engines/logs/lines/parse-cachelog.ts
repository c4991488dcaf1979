import {
  escapeHex,
  readCache,
  readNumber,
  readOwnMark,
  readRequest,
  type Line,
  cacheNone,
} from './line.ts'
import { timeLengthAt } from './log-time.ts'
import { hashByte, hashStart } from './object-keys.ts'

const space = 0x20
const quote = 0x22
const slash = 0x2f
const open = 0x5b
const close = 0x5d
const question = 0x3f
const letterL = 0x4c

/** Position of the byte, or `end`. */
function find(buffer: Uint8Array, byte: number, from: number, end: number): number {
  let at = from
  while (at < end && buffer[at] !== byte) at++
  return at
}

/**
 * `[time] "` after the user field; before it are forwarded addresses and user names as free text.
 */
function findTime(buffer: Uint8Array, from: number, end: number): number {
  for (let at = find(buffer, open, from, end); at < end; at = find(buffer, open, at + 1, end)) {
    const length = timeLengthAt(buffer, at + 1)
    if (length === 0 || buffer[at + length + 1] !== close) continue
    if (buffer[at + length + 3] === quote) return at + 1
  }
  return -1
}

/** Reads the tag, if any; returns the start of the address, or -1. */
function readTag(line: Line, buffer: Uint8Array, from: number, end: number): number {
  if (buffer[from] !== open) {
    line.tag = line.noTag
    return from
  }
  // A tag is a raw Host header: it may hold brackets (IPv6) but no space.
  let at = from + 1
  while (at < end && buffer[at] !== space) at++
  if (at >= end || buffer[at - 1] !== close) return -1
  line.setTag(buffer, from + 1, at - 1)
  return at + 1
}

/**
 * As `readRequest`, up to the closing quote, which it returns, with the hash of the path: each step of a
 * hash waits for the one before, so that looking for the ends costs nothing beside it.
 */
function readQuotedRequest(line: Line, buffer: Uint8Array, from: number, end: number): number {
  let start = from
  while (start < end && buffer[start] !== space && buffer[start] !== quote) start++
  if (start === from || buffer[start] !== space) {
    const close = find(buffer, quote, start, end)
    readRequest(line, buffer, from, close)
    return close
  }
  let hash = hashStart
  let isPath = true
  let targetEnd = -1
  let targetHash = 0
  let at = start + 1
  for (; at < end; at++) {
    const byte = buffer[at] as number
    if (byte <= quote) {
      if (byte === quote) break
      if (byte === space) {
        targetEnd = at
        targetHash = hash
      }
    } else if (byte === question) isPath = false
    if (isPath) hash = hashByte(hash, byte)
  }
  line.methodFirst = buffer[from] as number
  line.target.from = start + 1
  // Without a protocol (HTTP/0.9) the only space is the one before the target.
  line.target.to = targetEnd < 0 ? at : targetEnd
  line.pathHash = targetEnd < 0 ? hash : targetHash
  line.isPathHashed = true
  return at
}

/** Referer and user agent; returns the closing quote of the latter. */
function readAgents(line: Line, buffer: Uint8Array, from: number, end: number): number {
  const referer = find(buffer, quote, from, end) + 1
  let at = find(buffer, quote, find(buffer, quote, referer, end) + 1, end) + 1
  for (; at < end; at++) {
    const byte = buffer[at]
    if (byte === quote) break
    if (byte === letterL) readOwnMark(line, buffer, at)
  }
  return at
}

/**
 * One line of the common format, without its line feed. False when unreadable; custom log formats
 * may omit the fields after the byte count.
 */
export function parseCachelog(line: Line, buffer: Uint8Array, from: number, end: number): boolean {
  const address = readTag(line, buffer, from, end)
  if (address < 0) return false
  const addressEnd = find(buffer, space, address, end)
  if (addressEnd === address || buffer[addressEnd + 1] !== slash) return false
  const time = findTime(buffer, addressEnd, end)
  if (time < 0) return false
  const seconds = line.times.read(buffer, time)
  if (Number.isNaN(seconds)) return false
  const request = time + timeLengthAt(buffer, time) + 3
  const requestEnd = readQuotedRequest(line, buffer, request, end)
  const status = requestEnd + 2
  if (status + 4 > end || buffer[status + 3] !== space) return false
  const bytesEnd = find(buffer, space, status + 4, end)
  line.status = readNumber(buffer, status, status + 3)
  line.bytes = readNumber(buffer, status + 4, bytesEnd)
  if (line.status < 0 || line.bytes < 0) return false
  line.timeS = seconds
  line.setClient(buffer, address, addressEnd)
  line.escape = escapeHex
  line.isProbe = false
  line.isPrefill = false
  readTail(line, buffer, readAgents(line, buffer, bytesEnd, end), end)
  return true
}

/** Cache status, host and range after the user agent; each may be missing. */
function readTail(line: Line, buffer: Uint8Array, from: number, end: number): void {
  const cache = find(buffer, quote, from + 1, end) + 1
  const cacheEnd = find(buffer, quote, cache, end)
  const isComplete = cacheEnd < end
  line.cache = isComplete ? readCache(buffer, cache, cacheEnd) : cacheNone
  const host = find(buffer, quote, cacheEnd + 1, end) + 1
  const hostEnd = find(buffer, quote, host, end)
  line.host.from = hostEnd < end ? host : end
  line.host.to = hostEnd < end ? hostEnd : end
  const range = find(buffer, quote, hostEnd + 1, end) + 1
  line.range.from = Math.min(range, end)
  line.range.to = find(buffer, quote, range, end)
}
