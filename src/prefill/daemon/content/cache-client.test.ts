import { afterAll, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { slowness } from '../../../../test/support/slowness.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { createBandwidth } from './bandwidth.ts'
import { connect } from './connection.ts'
import { createCacheClient, type CacheClientOptions, type ContentRequest } from './cache-client.ts'

type Answer = (socket: Socket, request: string) => void
const servers: { stop(): void }[] = []
afterAll(() => servers.forEach((server) => server.stop()))

/** A server that answers each request by hand. */
function rawServer(answer: Answer) {
  const requests: string[] = []
  let connections = 0
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: () => void connections++,
      data(socket, chunk) {
        const request = chunk.toString()
        requests.push(request)
        answer(socket, request)
      },
    },
  })
  servers.push({ stop: () => server.stop(true) })
  return { requests, connections: () => connections, port: server.port }
}

const ok = (socket: Socket) =>
  void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')

function clientOf(port: number, options: Partial<CacheClientOptions> = {}) {
  const client = createCacheClient({
    address: { host: '127.0.0.1', port },
    userAgent: 'Test/1',
    bandwidth: createBandwidth(),
    ...options,
  })
  return {
    client,
    get: async (request: Partial<ContentRequest> = {}, signal = new AbortController().signal) => {
      let body = ''
      const onBody = (bytes: Buffer) => void (body += bytes.toString())
      const wanted = { host: 'cdn.example.test', target: '/a?b=c', ...request }
      const head = await client.get(wanted, { signal, onBody })
      return { status: head.status, body }
    },
  }
}

test('requests go to the address with the original host, over one kept connection', async () => {
  const server = rawServer(ok)
  const { get } = clientOf(server.port)
  expect(await get()).toEqual({ status: 200, body: 'hello' })
  await get({ range: { first: 5, last: 9 } })
  expect(server.requests).toEqual([
    'GET /a?b=c HTTP/1.1\r\nHost: cdn.example.test\r\nAccept: */*\r\nUser-Agent: Test/1\r\n\r\n',
    'GET /a?b=c HTTP/1.1\r\nHost: cdn.example.test\r\nAccept: */*\r\nUser-Agent: Test/1\r\nRange: bytes=5-9\r\n\r\n',
  ])
  expect(server.connections()).toBe(1)
})

test.each([
  { host: 'a\r\nX: y' },
  { host: '' },
  { target: '/a b' },
  { target: 'http://other/' },
  { target: '/a\r\nX: y' },
  { target: '/ü' },
])('%p is never sent', async (request) => {
  const server = rawServer(ok)
  expect(await clientOf(server.port).get(request).catch(String)).toContain('Error')
  expect(server.connections()).toBe(0)
})

test('the memory of a chunk is free as soon as it was read', async () => {
  const half = 'x'.repeat(50_000)
  let sendRest = () => {}
  const server = rawServer((socket) => {
    // The head comes in two chunks, so that the parser has to keep the first.
    socket.write('HTTP/1.1 200 OK\r\nContent-')
    setTimeout(() => socket.write(`Length: 100000\r\n\r\n${half}`), 20)
    sendRest = () => void socket.write(half)
  })
  const { client } = clientOf(server.port)
  const chunks: Buffer[] = []
  let received = 0
  const onBody = (bytes: Buffer) => {
    chunks.push(bytes)
    received += bytes.length
    expect(bytes.every((byte) => byte === 0x78)).toBe(true)
    if (received === half.length) sendRest()
  }
  const { signal } = new AbortController()
  await client.get({ host: 'a.test', target: '/x' }, { signal, onBody })
  expect(received).toBe(100_000)
  // The first one was joined with the head.
  const [, ...others] = chunks
  expect(others.length).toBeGreaterThan(0)
  expect(others.every(({ length }) => length === 0)).toBe(true)
})

test('a redirect is an answer, not followed', async () => {
  const server = rawServer((socket) => {
    socket.write('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n')
  })
  expect((await clientOf(server.port).get()).status).toBe(302)
})

test('a kept connection that the server closed is replaced', async () => {
  let answered = 0
  const server = rawServer((socket) => {
    if (answered++ === 1) socket.end()
    else ok(socket)
  })
  const { get } = clientOf(server.port)
  await get()
  expect(await get()).toEqual({ status: 200, body: 'hello' })
  expect(server.connections()).toBe(2)
})

test('a new connection that is closed without an answer is an error', async () => {
  const server = rawServer((socket) => void socket.end())
  expect(await clientOf(server.port).get().catch(String)).toContain('when its disk is full')
  expect(server.connections()).toBe(1)
})

test('an incomplete body is an error', async () => {
  const server = rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello')
    socket.end()
  })
  expect(await clientOf(server.port).get().catch(String)).toContain('closed before the end')
})

test('silence ends a request, also in the middle of a body', async () => {
  for (const beginning of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello']) {
    const server = rawServer((socket) => void (beginning !== '' && socket.write(beginning)))
    const { get } = clientOf(server.port, { idleMs: 40 })
    expect(await get().catch(String)).toContain('nothing came for')
  }
})

test('an abort ends a request with its reason and closes the connection', async () => {
  const abort = new AbortController()
  const server = rawServer(() => abort.abort(new Error('enough')))
  const { get } = clientOf(server.port)
  expect(await get({}, abort.signal).catch(String)).toBe('Error: enough')
  expect(await get({}, abort.signal).catch(String)).toBe('Error: enough')
  expect(server.requests).toHaveLength(1)
})

test('an abort while connecting does not wait for the server', async () => {
  let closed = 0
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data() {}, close: () => void closed++ },
  })
  servers.push({ stop: () => server.stop(true) })
  const abort = new AbortController()
  const attempt = connect({ host: '127.0.0.1', port: server.port }, abort.signal)
  abort.abort(new Error('enough'))
  expect(await attempt.catch(String)).toBe('Error: enough')
  // The connection that came about nevertheless is closed again.
  await eventually(() => closed === 1, 'the connection is closed')
})

test('nobody listens', async () => {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = server
  server.stop(true)
  const error = await clientOf(port)
    .get()
    .catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(Error)
})

test('a paused budget stops reading, and silence does not count meanwhile', async () => {
  const bytes = 64 * 1024 * 1024
  let written = 0
  const part = Buffer.alloc(1024 * 1024)
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`)
        fill(socket)
      },
      drain: (socket) => fill(socket),
    },
  })
  servers.push({ stop: () => server.stop(true) })
  function fill(socket: Socket): void {
    while (written < bytes) {
      const sent = socket.write(part.subarray(0, Math.min(part.length, bytes - written)))
      written += sent
      if (sent < part.length) return
    }
  }
  const bandwidth = createBandwidth()
  bandwidth.setPaused(true)
  const idleMs = 1000 * slowness
  const { client } = clientOf(server.port, { bandwidth, idleMs })
  let received = 0
  const done = client.get(
    { host: 'a.test', target: '/x' },
    { signal: new AbortController().signal, onBody: (chunk) => void (received += chunk.length) },
  )
  await eventually(() => received > 0, 'the first bytes')
  const atPause = received
  // Longer than the limit of silence.
  await new Promise((resolve) => setTimeout(resolve, 1.3 * idleMs))
  expect(received).toBe(atPause)
  expect(written).toBeLessThan(bytes / 2)
  bandwidth.setPaused(false)
  await done
  expect(received).toBe(bytes)
})
