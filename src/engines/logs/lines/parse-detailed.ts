import { escapeHex, readCache, readNumber, readRequest, readUserAgent, type Line } from './line.ts'
import { timeLengthAt } from './log-time.ts'

const space = 0x20
const quote = 0x22
const close = 0x5d

/** A line of the per-host format starts with its time, the common format with its tag. */
export function looksDetailed(buffer: Uint8Array, from: number, end: number): boolean {
  if (buffer[from] !== 0x5b) return false
  const length = timeLengthAt(buffer, from + 1)
  return length > 0 && from + length + 3 < end && buffer[from + length + 1] === close
}

const maxTailFields = 40

/** The unquoted fields between referer and user agent: numbers, lists, cache status, host. */
function readMiddle(line: Line, buffer: Uint8Array, from: number, end: number): boolean {
  const starts: number[] = []
  const ends: number[] = []
  for (let at = from; at < end && starts.length < maxTailFields;) {
    while (at < end && buffer[at] === space) at++
    if (at >= end) break
    starts.push(at)
    while (at < end && buffer[at] !== space) at++
    ends.push(at)
  }
  // request_length, bytes_sent, body_bytes_sent, request_time, then lists of unknown length.
  if (starts.length < 9) return false
  line.bytes = readNumber(buffer, starts[2] ?? 0, ends[2] ?? 0)
  if (line.bytes < 0) return false
  // The cache status is the first non-numeric word (or lone dash) after the length list.
  for (let index = 5; index < starts.length - 2; index++) {
    const start = starts[index] ?? 0
    const stop = ends[index] ?? 0
    const first = buffer[start] ?? 0
    const isWord = first >= 0x41 && first <= 0x5a
    const isDash = first === 0x2d && stop - start === 1 && !isListed(buffer, start)
    if (!isWord && !isDash) continue
    line.cache = readCache(buffer, start, stop)
    line.host.from = starts[index + 1] ?? end
    line.host.to = ends[index + 1] ?? end
    return true
  }
  return false
}

/** Whether the field at `start` belongs to a list: the one before ends in a separator. */
const isListed = (buffer: Uint8Array, start: number): boolean => {
  const before = buffer[start - 2]
  return before === 0x2c || (before === 0x3a && buffer[start - 3] === space)
}

/**
 * One line of the per-host format, without its line feed. Read from both ends around the quoted
 * fields, because the range may be empty and upstream fields are lists with spaces. Does not set
 * the tag, which comes from the file name.
 */
export function parseDetailed(line: Line, buffer: Uint8Array, from: number, end: number): boolean {
  const seconds = line.times.read(buffer, from + 1)
  if (Number.isNaN(seconds)) return false
  const address = from + timeLengthAt(buffer, from + 1) + 3
  const addressEnd = buffer.indexOf(space, address)
  const uri = buffer.indexOf(quote, address) + 1
  const uriEnd = uri > 0 ? buffer.indexOf(quote, uri) : -1
  if (addressEnd < 0 || addressEnd >= uri || uri <= 0 || uriEnd < 0 || uriEnd >= end) return false
  const referer = buffer.indexOf(quote, uriEnd + 1) + 1
  const refererEnd = referer > 0 ? buffer.indexOf(quote, referer) : -1
  if (referer <= 0 || refererEnd < 0 || refererEnd >= end) return false
  // ` range protocol status ` stand between the quoted fields; the last three digits are status.
  const status = referer - 5
  line.status = readNumber(buffer, status, status + 3)
  if (status <= uriEnd || line.status < 0 || buffer[status - 1] !== space) return false
  const agentEnd = buffer.lastIndexOf(quote, end - 1)
  const agent = agentEnd > refererEnd ? buffer.lastIndexOf(quote, agentEnd - 1) : -1
  if (agent <= refererEnd) return false
  line.isProbe = false
  line.isPrefill = false
  readUserAgent(line, buffer, agent + 1, agentEnd)
  if (!readMiddle(line, buffer, refererEnd + 1, agent)) return false
  line.timeS = seconds
  line.escape = escapeHex
  line.setClient(buffer, address, addressEnd)
  readRequest(line, buffer, uri, uriEnd)
  line.methodFirst = buffer[addressEnd + 1] ?? 0
  line.range.from = uriEnd + 2
  line.range.to = Math.max(uriEnd + 2, buffer.indexOf(space, uriEnd + 2))
  line.target.from = uri
  line.target.to = uriEnd
  return true
}
