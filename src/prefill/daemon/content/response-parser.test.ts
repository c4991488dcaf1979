import { describe, expect, test } from 'bun:test'
import { seededRandom, type Random } from '../../../demo/random.ts'
import { ResponseError, ResponseParser } from './response-parser.ts'

/** Reads a response in chunks of this size, then the end of the connection. */
function read(text: string, { size = text.length, isClosed = false } = {}) {
  let status = 0
  const body: Buffer[] = []
  const parser = new ResponseParser({
    onHead: (head) => (status = head.status),
    onBody: (bytes) => body.push(Buffer.from(bytes)),
  })
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0; at < bytes.length; at += size) parser.read(bytes.subarray(at, at + size))
  if (isClosed) parser.end()
  const { isDone, head } = parser
  return { status, body: Buffer.concat(body).toString('latin1'), isDone, head }
}

const responses = {
  length: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Cache-Status: HIT\r\n\r\nhello',
  empty: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  'no content': 'HTTP/1.1 204 No Content\r\n\r\n',
  chunked:
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;name=x\r\nlo\r\n0\r\nTrailer: x\r\n\r\n',
  interim:
    'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
}

describe.each(Object.entries(responses))('%s', (_name, text) => {
  test.each([1, 2, 7, 1000])('in chunks of %d bytes', (size) => {
    const { body, isDone, head } = read(text, { size })
    expect(isDone).toBe(true)
    expect(body).toBe(text.includes('hel') ? 'hello' : '')
    expect(head?.isKeptOpen).toBe(true)
  })
})

test('without a length the body ends with the connection', () => {
  const text = 'HTTP/1.1 200 OK\r\n\r\nhello'
  expect(read(text).isDone).toBe(false)
  expect(read(text, { isClosed: true })).toMatchObject({ isDone: true, body: 'hello' })
})

test('the server may close the connection after the response', () => {
  const close = responses.length.replace('OK\r\n', 'OK\r\nConnection: close\r\n')
  expect(read(close).head?.isKeptOpen).toBe(false)
  expect(read(responses.length.replace('HTTP/1.1', 'HTTP/1.0')).head?.isKeptOpen).toBe(false)
})

test.each([
  'SSH-2.0-OpenSSH\r\n\r\n',
  'HTTP/2 200\r\n\r\n',
  'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 1e9\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n',
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1'.repeat(300)}`,
  `HTTP/1.1 200 OK\r\nLong: ${'x'.repeat(40_000)}`,
  `${responses.length}extra`,
])('refused: %j', (text) => {
  expect(() => read(text)).toThrow(ResponseError)
  expect(() => read(text, { size: 1 })).toThrow(ResponseError)
})

test.each([
  'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
  'HTTP/1.1 200 OK\r\nContent-',
])('incomplete at the end of the connection: %j', (text) => {
  expect(() => read(text, { isClosed: true })).toThrow('closed before the end')
})

const crlf = '\r\n'

/** A body in chunks of any sizes, with extensions and trailers. */
function chunked(random: Random, body: string): string {
  let text = ''
  for (let at = 0; at < body.length;) {
    const part = body.slice(at, at + random.between(1, 400))
    const digits = part.length.toString(16)
    text += `${random.pick([digits, digits.toUpperCase(), `${digits};x=y`])}${crlf}${part}${crlf}`
    at += part.length
  }
  return `${text}0${crlf}${random.pick(['', `Trailer: x${crlf}`])}${crlf}`
}

/** Any response that a proxy may send. */
function anyResponse(random: Random) {
  const length = random.pick([0, 1, random.between(2, 3000)])
  const body = Array.from({ length }, () => String.fromCharCode(random.between(0, 255))).join('')
  const framing = random.pick(['length', 'chunked', 'close'] as const)
  const headers = {
    length: `Content-Length: ${length}`,
    chunked: 'transfer-encoding: Chunked',
    close: 'Connection: close',
  }
  const status = random.pick([200, 206, 404, 502])
  const interim = random.pick(['', '', `HTTP/1.1 103 Early Hints${crlf}Link: x${crlf}${crlf}`])
  const head = [`HTTP/1.1 ${status} Some words`, 'X-Cache-Status: HIT', headers[framing], '', '']
  const content = framing === 'chunked' ? chunked(random, body) : body
  return { status, body, isClosed: framing === 'close', text: interim + head.join(crlf) + content }
}

/** What a parser makes of bytes that come in random chunks; the error as a text. */
function feed(random: Random, bytes: Buffer, isClosed: boolean) {
  const body: Buffer[] = []
  const parser = new ResponseParser({ onHead() {}, onBody: (part) => body.push(Buffer.from(part)) })
  let error: unknown = null
  try {
    for (let at = 0; at < bytes.length;) {
      const end = Math.min(bytes.length, at + random.pick([1, 2, random.between(1, 2000)]))
      // As in a connection, the memory of a chunk is gone when it was read.
      const chunk = Buffer.from(bytes.subarray(at, end))
      parser.read(chunk)
      chunk.fill(0)
      at = end
    }
    if (isClosed) parser.end()
  } catch (thrown) {
    error = thrown
  }
  return { error, parser, body: Buffer.concat(body).toString('latin1') }
}

test('a response is the same in whichever chunks it comes', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const random = seededRandom(seed)
    const { status, body, isClosed, text } = anyResponse(random)
    const read = feed(random, Buffer.from(text, 'latin1'), isClosed)
    expect({ seed, error: read.error, body: read.body }).toEqual({ seed, error: null, body })
    expect([read.parser.isDone, read.parser.head?.status]).toEqual([true, status])
  }
})

test('a damaged response is another response or a ResponseError, and brings no bytes of its own', () => {
  for (let seed = 1; seed <= 2000; seed++) {
    const random = seededRandom(seed)
    let bytes: Buffer = Buffer.from(anyResponse(random).text, 'latin1')
    for (let faults = random.between(1, 4); faults > 0; faults--) {
      const at = random.between(0, bytes.length - 1)
      const removed = random.pick([0, 1, random.between(0, 50)])
      const added = Array.from({ length: random.pick([0, 1, 30]) }, () => random.between(0, 255))
      const after = bytes.subarray(at + removed)
      bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(added), after])
      if (bytes.length === 0) break
    }
    const { error, body, parser } = feed(random, bytes, true)
    if (error !== null) expect(error).toBeInstanceOf(ResponseError)
    else expect(parser.isDone).toBe(true)
    expect(body.length).toBeLessThanOrEqual(bytes.length)
  }
})

test.each([
  ['a head', 'HTTP/1.1 200 OK\r\n', 'Header: value\r\n'],
  ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['trailers', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n', 'Trailer: x\r\n'],
  ['empty lines', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '\r\n'],
  ['garbage', '', '\u0000'],
])('%s without an end is refused soon', (_name, beginning, repeated) => {
  const text = beginning + repeated.repeat(Math.ceil(100_000 / repeated.length))
  for (const size of [1000, 100_000]) expect(() => read(text, { size })).toThrow(ResponseError)
  const parser = new ResponseParser({ onHead() {}, onBody() {} })
  let taken = 0
  const readAll = () => {
    for (; taken < text.length; taken++) parser.read(Buffer.from(text[taken] ?? '', 'latin1'))
  }
  expect(readAll).toThrow(ResponseError)
  expect(taken).toBeLessThan(33_000)
})
