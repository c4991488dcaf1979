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
import { hashedBytes, hashWords } from './repeated-bytes.ts'

const space = 0x20
const quote = 0x22
const slash = 0x2f
const open = 0x5b
const close = 0x5d
const question = 0x3f
const letterL = 0x4c
const minus = 0x2d

/** Position of the byte, or `end`. */
function find(buffer: Uint8Array, byte: number, from: number, end: number): number {
  let at = from
  while (at < end && buffer[at] !== byte) at++
  return at
}

/** Whether a time in brackets and a quote are here, without the opening bracket. */
function isTimeAt(buffer: Uint8Array, at: number): boolean {
  const length = timeLengthAt(buffer, at)
  return length > 0 && buffer[at + length] === close && buffer[at + length + 2] === quote
}

/** Start of the address, after the tag if there is one; -1: it does not end. */
function addressAt(buffer: Uint8Array, from: number, end: number): number {
  if (buffer[from] !== open) return from
  // A tag is a raw Host header: it may hold brackets (IPv6) but no space.
  const at = find(buffer, space, from + 1, end)
  return at >= end || buffer[at - 1] !== close ? -1 : at + 1
}

/**
 * Reads tag and client; returns the start of the time, or -1. Between them are forwarded addresses and
 * user names as free text.
 */
function readBeginning(line: Line, buffer: Uint8Array, from: number, end: number): number {
  const address = addressAt(buffer, from, end)
  if (address < 0 || end - address < hashedBytes) return -1
  const view = line.viewOf(buffer)
  const hash = hashWords(view, address) + address - from
  const known = line.beginnings.find(view, from, end, hash)
  if (known !== null && isTimeAt(buffer, from + known.length)) {
    line.tag = known.value.tag
    line.client = known.value.client
    return from + known.length
  }
  const addressEnd = find(buffer, space, address, end)
  if (addressEnd === address || buffer[addressEnd + 1] !== slash) return -1
  let time = find(buffer, open, addressEnd, end) + 1
  while (time < end && !isTimeAt(buffer, time)) time = find(buffer, open, time, end) + 1
  if (time >= end) return -1
  if (address === from) line.tag = line.noTag
  else line.setTag(buffer, from + 1, address - 2)
  line.setClient(buffer, address, addressEnd)
  const { tag, client } = line
  line.beginnings.keep(view, from, time, { hash, value: { tag, client } })
  return time
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
  const time = readBeginning(line, buffer, from, end)
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
  line.escape = escapeHex
  readEnd(line, buffer, bytesEnd, end)
  return true
}

/** All after the byte count. Without a range, few lines differ in it; fields after that are ignored. */
function readEnd(line: Line, buffer: Uint8Array, from: number, end: number): void {
  const length = end - from
  if (length < hashedBytes || buffer[end - 1] !== quote || buffer[end - 2] !== minus) {
    readFields(line, buffer, from, end)
    return
  }
  const view = line.viewOf(buffer)
  const hash = hashWords(view, end - hashedBytes) + length
  const known = line.ends.find(view, from, end, hash)
  if (known !== null) {
    const { cache, isProbe, isPrefill, hostFrom, hostTo } = known.value
    line.cache = cache
    line.isProbe = isProbe
    line.isPrefill = isPrefill
    line.host.from = from + hostFrom
    line.host.to = from + hostTo
    line.range.from = end - 2
    line.range.to = end - 1
    return
  }
  readFields(line, buffer, from, end)
  const { cache, isProbe, isPrefill, host, range } = line
  if (range.from !== end - 2) return
  const value = { cache, isProbe, isPrefill, hostFrom: host.from - from, hostTo: host.to - from }
  line.ends.keep(view, from, end, { hash, value })
}

function readFields(line: Line, buffer: Uint8Array, from: number, end: number): void {
  line.isProbe = false
  line.isPrefill = false
  readTail(line, buffer, readAgents(line, buffer, from, end), end)
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
