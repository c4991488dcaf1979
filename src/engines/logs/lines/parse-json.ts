import { copyOf, latin1, sameBytes } from '../../titles/bytes.ts'
import {
  cacheNone,
  escapeJson,
  readCache,
  readNumber,
  readUserAgent,
  type JsonName,
  type Line,
  type ReadValue,
} from './line.ts'
import { timeLengthAt } from './log-time.ts'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const closeBrace = 0x7d
const dot = 0x2e
const space = 0x20
const tab = 0x09

/** Cached names of one object; further ones are looked up each time. */
const maxNames = 64
const maxNameLength = 64

// Required members of a line, as bits.
const hasTime = 1
const hasClient = 2
const hasStatus = 4
const hasBytes = 8
const complete = hasTime | hasClient | hasStatus | hasBytes

/** Members that are read, by their names in the log format `cachelog-json`. */
const readers: Record<string, ReadValue> = {
  host: ({ host }, _buffer, from, to) => setSpan(host, from, to),
  path: ({ target }, _buffer, from, to) => setSpan(target, from, to),
  http_range: ({ range }, _buffer, from, to) => setSpan(range, from, to),
  timestamp: readStamp,
  time_local: (line, buffer, from, to) =>
    line.timeS < 0 && isTime(buffer, from, to) ? readTime(line, buffer, from) : 0,
  method(line, buffer, from) {
    line.methodFirst = buffer[from] ?? 0
    return 0
  },
  status(line, buffer, from, to) {
    line.status = to - from === 3 ? readNumber(buffer, from, to) : -1
    return line.status < 0 ? 0 : hasStatus
  },
  bytes_sent(line, buffer, from, to) {
    line.bytes = to === from ? 0 : readNumber(buffer, from, to)
    return line.bytes < 0 ? 0 : hasBytes
  },
  user_agent(line, buffer, from, to) {
    readUserAgent(line, buffer, from, to)
    return 0
  },
  remote_addr(line, buffer, from, to) {
    if (to === from) return 0
    line.setClient(buffer, from, to)
    return hasClient
  },
  cache_identifier(line, buffer, from, to) {
    line.setTag(buffer, from, to)
    return 0
  },
  upstream_cache_status(line, buffer, from, to) {
    line.cache = readCache(buffer, from, to)
    return 0
  },
}

function setSpan(span: { from: number; to: number }, from: number, to: number): number {
  span.from = from
  span.to = to
  return 0
}

const isTime = (buffer: Uint8Array, from: number, to: number): boolean =>
  to > from && timeLengthAt(buffer, from) === to - from

function readTime(line: Line, buffer: Uint8Array, from: number): number {
  const seconds = line.times.read(buffer, from)
  if (Number.isNaN(seconds)) return 0
  line.timeS = seconds
  return hasTime
}

/** In seconds this is the year 5138; larger values are milliseconds. */
const firstMilliseconds = 1e11

/** `1795211569.672`: reads whole seconds. Other formats log milliseconds or an ISO time here. */
function readStamp(line: Line, buffer: Uint8Array, from: number, to: number): number {
  if (isTime(buffer, from, to)) return readTime(line, buffer, from)
  let end = from
  while (end < to && buffer[end] !== dot) end++
  const stamp = readNumber(buffer, from, end)
  if (stamp <= 0) return 0
  line.timeS = stamp < firstMilliseconds ? stamp : Math.floor(stamp / 1000)
  return hasTime
}

function skipBlank(buffer: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && (buffer[at] === space || buffer[at] === tab)) at++
  return at
}

/** Closing quote of the string that starts at `from`, or `end`. */
function stringEnd(buffer: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end) {
    const byte = buffer[at]
    if (byte === quote) return at
    at += byte === backslash ? 2 : 1
  }
  return end
}

/**
 * The name that begins at `from`. Lines of one file have the same names in the same positions, so a
 * name is first compared with the previous one there, and rarely looked up.
 */
function nameAt(buffer: Uint8Array, from: number, end: number, known?: JsonName): JsonName {
  if (known !== undefined && buffer[from + known.bytes.length] === quote) {
    if (sameBytes(buffer, from, known.bytes)) return known
  }
  const bytes = copyOf(buffer, from, stringEnd(buffer, from, end))
  const isShort = bytes.length <= maxNameLength
  const name = isShort ? latin1(bytes, 0, bytes.length) : ''
  return { bytes, read: Object.hasOwn(readers, name) ? (readers[name] ?? null) : null }
}

/** One line that holds a flat JSON object, without its line feed. False when unreadable. */
export function parseJson(line: Line, buffer: Uint8Array, from: number, end: number): boolean {
  line.timeS = -1
  line.cache = cacheNone
  line.tag = line.noTag
  line.isProbe = false
  line.isPrefill = false
  line.escape = escapeJson
  line.target.from = line.target.to = line.host.from = line.host.to = end
  line.range.from = line.range.to = end
  const { names } = line
  let seen = 0
  let at = from + 1
  for (let place = 0; at < end; place++) {
    at = skipBlank(buffer, at, end)
    if (buffer[at] !== quote) return false
    const name = nameAt(buffer, at + 1, end, names[place])
    const { length } = name.bytes
    if (name !== names[place] && place < maxNames && length <= maxNameLength) names[place] = name
    at = skipBlank(buffer, at + length + 2, end)
    if (at >= end || buffer[at] !== colon) return false
    at = skipBlank(buffer, at + 1, end)
    const isText = buffer[at] === quote
    const value = isText ? at + 1 : at
    let valueEnd = value
    if (isText) valueEnd = stringEnd(buffer, value, end)
    else while (valueEnd < end && !isBareEnd(buffer[valueEnd])) valueEnd++
    if (valueEnd >= end) return false
    if (name.read !== null) seen |= name.read(line, buffer, value, valueEnd)
    at = skipBlank(buffer, isText ? valueEnd + 1 : valueEnd, end)
    if (buffer[at] === closeBrace) return seen === complete && at < end
    if (buffer[at] !== comma) return false
    at++
  }
  return false
}

const isBareEnd = (byte: number | undefined): boolean =>
  byte === comma || byte === closeBrace || byte === space
