import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { atEnd } from '../../test/support/cleanup.ts'
import { eventually } from '../../test/support/eventually.ts'
import { seededRandom } from '../demo/random.ts'
import { ClientSocket } from './client-socket.ts'
import { frameBytesMax } from './limits.ts'

/** A client of this address, and what it tells. */
function clientOf(url: string) {
  const told = { isOpen: false, frames: [] as Buffer[], ends: [] as (string | null)[] }
  const socket = new ClientSocket(new URL(url), {
    open: () => (told.isOpen = true),
    frame: (content) => void told.frames.push(Buffer.from(content)),
    closed: (problem) => void told.ends.push(problem),
  })
  atEnd(() => Promise.resolve(socket.terminate()))
  return { socket, told, ended: () => eventually(() => told.ends.length > 0, 'it ends') }
}

/** A server that may send anything once it was asked for the upgrade. */
async function hostile(answer: (socket: Socket, key: string) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (head) => {
      answer(socket, /Sec-WebSocket-Key: (\S+)/.exec(head.toString())?.[1] ?? '')
    })
  })
  atEnd(() => Promise.resolve(void server.close()))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`
}

const upgraded = (key: string) =>
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  `Sec-WebSocket-Accept: ${createHash('sha1')
    .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64')}\r\n\r\n`

/** Sends as fast as it is taken; returns how much that was. */
function pour(socket: Socket, block: Buffer): () => number {
  const more = () => {
    while (!socket.destroyed && socket.write(block));
  }
  socket.on('drain', more)
  more()
  return () => socket.bytesWritten
}

describe('against a server of others', () => {
  test('frames of all sizes go both ways, in order', async () => {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request, it) =>
        it.upgrade(request) ? undefined : new Response(null, { status: 400 }),
      websocket: {
        message: (ws, frame) => void ws.send(frame),
        open: (ws) => void ws.ping('are you there'),
      },
    })
    atEnd(() => server.stop(true))
    const { socket, told, ended } = clientOf(server.url.href)
    await eventually(() => told.isOpen, 'it is open')
    const sizes = [0, 1, 125, 126, 127, 255, 256, 4000, frameBytesMax]
    const sent = [...sizes, ...sizes].map((size, at) => Buffer.alloc(size, at + 1))
    for (const frame of sent) expect(socket.send(frame)).toBe(true)
    await eventually(() => told.frames.length === sent.length, 'all come back')
    expect(told.frames).toEqual(sent)
    await eventually(() => socket.bufferedBytes === 0, 'nothing waits')
    void server.stop(true)
    await ended()
    expect(socket.send(Buffer.alloc(1))).toBe(false)
  })

  test('an answer that is no upgrade ends it with the reason', async () => {
    const refused = await hostile((socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'))
    const other = await hostile((socket) => socket.write(upgraded('another key')))
    const [one, two] = [clientOf(refused), clientOf(other)]
    await Promise.all([one.ended(), two.ended()])
    expect(one.told.ends).toEqual(['the service answers 404 instead of 101'])
    expect(two.told.ends).toEqual(['the answer of the service is no WebSocket'])
  })

  test('a certificate that nobody vouches for is refused', async () => {
    const folder = `${import.meta.dir}/../../test/support/tls`
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      tls: {
        cert: Bun.file(`${folder}/renewed.cert.pem`),
        key: Bun.file(`${folder}/renewed.key.pem`),
      },
      fetch: () => new Response('here'),
    })
    atEnd(() => server.stop(true))
    const { told, ended } = clientOf(`https://127.0.0.1:${server.port}/`)
    await ended()
    expect(told).toMatchObject({
      isOpen: false,
      ends: [expect.stringMatching(/cert|signed|verify/i)],
    })
  })
})

/** What the systems on both sides hold, and some blocks. */
const inFlightMax = 16 * 1024 * 1024

describe('a hostile server fills no memory', () => {
  const header = (first: number, length: number) => {
    const head = Buffer.alloc(10)
    head[0] = first
    head[1] = 127
    head.writeBigUInt64BE(BigInt(length), 2)
    return head
  }
  test.each([
    ['a huge frame', (key: string) => [upgraded(key), header(0x82, 2 ** 40)]],
    [
      'a frame that is a little too large',
      (key: string) => [upgraded(key), Buffer.from([0x82, 126, 0x40, 1])],
    ],
    ['a compressed frame', (key: string) => [upgraded(key), Buffer.from([0xc2, 1])]],
    ['a fragment', (key: string) => [upgraded(key), Buffer.from([0x02, 1])]],
    ['a text', (key: string) => [upgraded(key), Buffer.from([0x81, 0])]],
    ['a large ping', (key: string) => [upgraded(key), Buffer.from([0x89, 126, 1, 0])]],
    ['an endless head', () => ['HTTP/1.1 101 Switching Protocols\r\n']],
  ] as const)('with %s', async (_what, beginning) => {
    let sent = () => 0
    const url = await hostile((socket, key) => {
      for (const part of beginning(key)) socket.write(part)
      sent = pour(socket, Buffer.alloc(64 * 1024, 'x'))
    })
    const { told, ended } = clientOf(url)
    await ended()
    expect(told.frames).toEqual([])
    expect(told.ends[0]).toMatch(/too large|too long|no frame of ours/)
    expect(sent()).toBeLessThan(inFlightMax)
  })

  test('with a thousand streams of random bytes', async () => {
    const random = seededRandom(31)
    const bytes = () => Buffer.from(Array.from({ length: 300 }, () => random.between(0, 255)))
    const url = await hostile((socket, key) =>
      socket.end(Buffer.concat([Buffer.from(upgraded(key)), bytes()])),
    )
    for (let round = 0; round < 50; round++) {
      const clients = Array.from({ length: 20 }, () => clientOf(url))
      await Promise.all(clients.map(({ ended }) => ended()))
      for (const { told } of clients) {
        expect(told.ends).toHaveLength(1)
        expect(told.frames.every(({ length }) => length <= frameBytesMax)).toBe(true)
      }
    }
  })
})
