import { describe, expect, test } from 'bun:test'
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
