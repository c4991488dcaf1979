import { cacheNone, escapeJson, readCache, readNumber, readUserAgent, type Line } from './line.ts'
import { timeLengthAt } from './log-time.ts'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const closeBrace = 0x7d
const dot = 0x2e

const skipBlank = (buffer: Uint8Array, from: number, end: number): number => {
  let at = from
  while (at < end && (buffer[at] === 0x20 || buffer[at] === 0x09)) at++
  return at
}

/** Closing quote of the string that starts at `from`, or `end`. */
function stringEnd(buffer: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && buffer[at] !== quote) at += buffer[at] === backslash ? 2 : 1
  return Math.min(at, end)
}

/** Seen so far: time 1, client 2, status 4, bytes 8. */
const complete = 15

/** Takes one member; the key is told by its length and first letter. Answers what was seen. */
function take(
  line: Line,
  buffer: Uint8Array,
  key: { from: number; length: number },
  value: { from: number; to: number },
): number {
  const { from, to } = value
  const letter = buffer[key.from]
  switch (key.length) {
    case 4: // host, path
      if (letter === 0x68) Object.assign(line.host, value)
      else if (letter === 0x70) Object.assign(line.target, value)
      return 0
    case 6: // status, method, scheme
      if (letter === 0x6d) line.methodFirst = buffer[from] ?? 0
      if (letter !== 0x73 || buffer[key.from + 1] !== 0x74) return 0
      line.status = to - from === 3 ? readNumber(buffer, from, to) : -1
      return line.status < 0 ? 0 : 4
    case 9: // timestamp
      return readStamp(line, buffer, from, to)
    case 10: // time_local, bytes_sent, user_agent, http_range
      if (letter === 0x75) readUserAgent(line, buffer, from, to)
      if (letter === 0x68) Object.assign(line.range, value)
      if (letter === 0x74 && line.timeS < 0 && isTime(buffer, from, to)) {
        const seconds = line.times.read(buffer, from)
        if (Number.isNaN(seconds)) return 0
        line.timeS = seconds
        return 1
      }
      if (letter !== 0x62) return 0
      line.bytes = to === from ? 0 : readNumber(buffer, from, to)
      return line.bytes < 0 ? 0 : 8
    case 11: // remote_addr, remote_user
      if (buffer[key.from + 7] !== 0x61 || to === from) return 0
      line.setClient(buffer, from, to)
      return 2
    case 16: // cache_identifier
      line.setTag(buffer, from, to)
      return 0
    case 21: // upstream_cache_status
      line.cache = readCache(buffer, from, to)
      return 0
    default:
      return 0
  }
}

const isTime = (buffer: Uint8Array, from: number, to: number): boolean =>
  to > from && timeLengthAt(buffer, from) === to - from

/** `1795211569.672`: whole seconds are enough. Some have a time of day here. */
function readStamp(line: Line, buffer: Uint8Array, from: number, to: number): number {
  if (isTime(buffer, from, to)) {
    const seconds = line.times.read(buffer, from)
    if (Number.isNaN(seconds)) return 0
    line.timeS = seconds
    return 1
  }
  let end = from
  while (end < to && buffer[end] !== dot) end++
  const seconds = readNumber(buffer, from, end)
  if (seconds <= 0) return 0
  line.timeS = seconds
  return 1
}

/** One line that holds a flat JSON object, without its line feed. False when it cannot be read. */
export function parseJson(line: Line, buffer: Uint8Array, from: number, end: number): boolean {
  line.timeS = -1
  line.cache = cacheNone
  line.tag = line.noTag
  line.isProbe = false
  line.isPrefill = false
  line.escape = escapeJson
  line.target.from = line.target.to = line.host.from = line.host.to = end
  line.range.from = line.range.to = end
  let seen = 0
  let at = from + 1
  while (at < end) {
    at = skipBlank(buffer, at, end)
    if (buffer[at] !== quote) return false
    const key = at + 1
    const keyEnd = stringEnd(buffer, key, end)
    at = skipBlank(buffer, keyEnd + 1, end)
    if (at >= end || buffer[at] !== colon) return false
    at = skipBlank(buffer, at + 1, end)
    const isText = buffer[at] === quote
    const value = isText ? at + 1 : at
    let valueEnd = value
    if (isText) valueEnd = stringEnd(buffer, value, end)
    else while (valueEnd < end && !isBareEnd(buffer[valueEnd])) valueEnd++
    if (valueEnd >= end) return false
    seen |= take(line, buffer, { from: key, length: keyEnd - key }, { from: value, to: valueEnd })
    at = skipBlank(buffer, isText ? valueEnd + 1 : valueEnd, end)
    if (buffer[at] === closeBrace) return seen === complete && at < end
    if (buffer[at] !== comma) return false
    at++
  }
  return false
}

const isBareEnd = (byte: number | undefined): boolean =>
  byte === comma || byte === closeBrace || byte === 0x20
