/*
 * Messages as bytes: plain JSON wherever possible. A message with bigints or bytes in it is JSON
 * with marked places, followed by the bytes as they are.
 */

const plain = 0
const marked = 1
const lengthBytes = 4
/** Objects with this member stand for something else. */
const mark = '$larder'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Whether JSON alone would lose something, or decode into something else. */
function needsMarks(value: unknown): boolean {
  if (typeof value === 'bigint') return true
  if (!isObject(value)) return false
  if (value instanceof Uint8Array) return true
  if (Array.isArray(value)) return value.some(needsMarks)
  if (value instanceof Map || value instanceof Set || value instanceof Date) {
    throw new TypeError(`a ${value.constructor.name} cannot be sent to another machine`)
  }
  return Object.hasOwn(value, mark) || Object.values(value).some(needsMarks)
}

export function encodeMessage(message: unknown): Buffer {
  if (!needsMarks(message)) {
    return Buffer.concat([Buffer.from([plain]), Buffer.from(JSON.stringify(message ?? null))])
  }
  const parts: Uint8Array[] = []
  let at = 0
  /** With every special value replaced. */
  function withMarks(value: unknown): unknown {
    if (typeof value === 'bigint') return { [mark]: 'bigint', is: String(value) }
    if (!isObject(value)) return value
    if (value instanceof Uint8Array) {
      parts.push(value)
      at += value.length
      return { [mark]: 'bytes', from: at - value.length, to: at }
    }
    if (Array.isArray(value)) return value.map(withMarks)
    const members = Object.entries(value).map(([key, member]) => [key, withMarks(member)])
    return Object.hasOwn(value, mark) ? { [mark]: 'object', members } : Object.fromEntries(members)
  }
  const json = Buffer.from(JSON.stringify(withMarks(message)))
  const head = Buffer.alloc(1 + lengthBytes)
  head[0] = marked
  head.writeUInt32BE(json.length, 1)
  return Buffer.concat([head, json, ...parts])
}

/** Throws for bytes that `encodeMessage` does not produce. */
export function decodeMessage(bytes: Buffer): unknown {
  if (bytes[0] === plain) return JSON.parse(bytes.toString('utf8', 1))
  if (bytes[0] !== marked) throw new SyntaxError('the message has an unknown form')
  const start = 1 + lengthBytes
  const end = start + bytes.readUInt32BE(1)
  if (end > bytes.length) throw new SyntaxError('the message is cut off')
  const content = bytes.subarray(end)
  return JSON.parse(bytes.toString('utf8', start, end), (_key, value: unknown) =>
    isObject(value) && Object.hasOwn(value, mark) ? restored(value, content) : value,
  )
}

function restored(value: Record<string, unknown>, content: Buffer): unknown {
  const { [mark]: kind, from, to, is, members } = value
  if (kind === 'bigint' && typeof is === 'string' && /^-?\d{1,40}$/.test(is)) return BigInt(is)
  if (kind === 'object' && Array.isArray(members)) return Object.fromEntries(members)
  const isRange = Number.isSafeInteger(from) && Number.isSafeInteger(to)
  if (kind === 'bytes' && isRange && 0 <= Number(from) && Number(to) <= content.length) {
    // A copy: a few bytes must not keep a whole message in memory.
    return new Uint8Array(content.subarray(Number(from), Number(to)))
  }
  throw new SyntaxError('the message has an unknown mark')
}
