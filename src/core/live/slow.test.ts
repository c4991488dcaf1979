import { afterEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { eventually } from '../../../test/support/eventually.ts'
import { LiveClient, liveServer, type LiveServer } from '../../../test/support/live-server.ts'
import { anonymous } from '../caller.ts'
import { Connection } from './connection.ts'
import type { LiveSocket } from './contract.ts'
import { closeCodes, frameBurst, framesPerSecond, holdBackBytes, unsentBytesMax } from './limits.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'

let server: LiveServer | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

/** A client that opens the channel by hand and then never reads again. */
function deafClient(host: string): Promise<Socket> {
  const [hostname = '', port = ''] = host.split(':')
  const lines = [
    'GET /hubs/downloads HTTP/1.1',
    `Host: ${host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'x-caller: admin admin-2',
  ]
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    })
    socket.on('error', reject)
    socket.once('data', () => {
      socket.pause()
      resolve(socket)
    })
  })
}

test('a client that does not read is disconnected; the others get every frame', async () => {
  server = liveServer()
  const healthy = await server.connect('admin admin-1')
  const deaf = await deafClient(server.host)
  expect(server.hub.connectionCount()).toBe(2)
  const filler = 'x'.repeat(256 * 1024)
  let sent = 0
  // The operating system buffers some megabytes before any data is queued in our memory.
  while (server.hub.connectionCount() === 2 && sent < 200) {
    server.hub.publish('DownloadsRefresh', { taggedCount: ++sent, source: filler })
    await healthy.sync()
  }
  expect(server.hub.connectionCount()).toBe(1)
  const numbers = healthy
    .received('DownloadsRefresh')
    .map((data) => (data as { taggedCount: number }).taggedCount)
  expect(numbers).toEqual(Array.from({ length: sent }, (_, index) => index + 1))

  const cut = new Promise((resolve) => deaf.on('close', resolve))
  await server.time.advance(5_000)
  deaf.resume()
  await cut
})

test('200 connections receive every event in order', async () => {
  server = liveServer({ perSession: 200 })
  const { hub, connect: open } = server
  const clients = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      open(index % 2 === 0 ? 'admin admin-1' : 'guest guest-1'),
    ),
  )
  expect(hub.connectionCount()).toBe(200)
  const numbers = Array.from({ length: 50 }, (_, index) => index)
  for (const n of numbers) hub.publish('EventDeleted', n)
  await Promise.all(clients.map((client) => client.sync()))
  for (const client of clients) expect(client.received('EventDeleted')).toEqual(numbers)
})

test('limits connections in total and per guest session', async () => {
  server = liveServer({ total: 3, perSession: 2 })
  await server.connect('guest guest-1')
  await server.connect('guest guest-1')
  const upgrade = (caller: string) =>
    fetch(`http://${server?.host}/hubs/downloads`, {
      headers: { Connection: 'Upgrade', Upgrade: 'websocket', 'x-caller': caller },
    })
  const refused = await upgrade('guest guest-1')
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '5'])
  const last = await server.connect('guest guest-2')
  expect((await upgrade('admin admin-1')).status).toBe(503)
  last.socket.close()
  await last.closed
  const { hub } = server
  await eventually(() => hub.connectionCount() <= 2, 'the connection is closed')
  await server.connect('admin admin-1')
  server.hub.disconnect('guest-1', 'over')
  await server.connect('admin admin-1')
  await server.connect('admin admin-1')
  expect(server.hub.connectionCount()).toBe(3)
})

test('guests have shares by session and by address, and leave room for accounts', async () => {
  const limits = { total: 12, guests: 8, perSession: 3, perAddress: 5 }
  server = liveServer(limits)
  const { host, hub } = server
  const headers = (caller: string, address: string) => ({
    'x-caller': caller,
    'x-address': address,
  })
  const open = (caller: string, address: string) =>
    LiveClient.open(`ws://${host}/hubs/downloads`, '', { headers: headers(caller, address) })
  /** Opens as many sockets as are admitted; the next one is refused. */
  async function fill(caller: string, address: string, wanted: number): Promise<void> {
    for (let n = 0; n < wanted; n++) await open(caller, address)
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', ...headers(caller, address) }
    const refused = await fetch(`http://${host}/hubs/downloads`, { headers: upgrade })
    expect([caller, address, refused.status]).toEqual([caller, address, 503])
  }
  await fill('guest guest-1', '10.0.0.1', limits.perSession)
  await fill('guest guest-2', '10.0.0.1', limits.perAddress - limits.perSession)
  await fill('guest guest-2', '10.0.0.2', 1)
  const tomorrow = new Date(server.time.now().getTime() + 86_400_000)
  server.addSession('guest-3', tomorrow)
  await fill('guest guest-3', '10.0.0.3', 2)
  await fill('admin admin-1', '10.0.0.1', limits.total - limits.guests)
  expect(hub.connectionCount()).toBe(limits.total)
  hub.disconnect('guest-1', 'over')
  await open('guest guest-3', '10.0.0.1')
})

test('a client that keeps sending frames is disconnected', async () => {
  server = liveServer()
  const [loud, other] = await Promise.all([
    server.connect('guest guest-1'),
    server.connect('guest guest-2'),
  ])
  for (let n = 0; n < frameBurst; n++) await loud.sync()
  await server.time.advance(1000)
  for (let n = 0; n < framesPerSecond; n++) await loud.sync()
  loud.socket.send('[]')
  expect(await loud.closed).toMatchObject({ code: closeCodes.tooMany })
  expect(loud.received('Pong')).toHaveLength(frameBurst + framesPerSecond)
  await other.sync()
})

describe('frames that a later one replaces', () => {
  class FakeSocket implements LiveSocket {
    buffered = 0
    answer = 1
    readonly sent: string[] = []
    readonly ends: string[] = []
    send(text: string): number {
      this.sent.push(text)
      return this.answer
    }
    bufferedBytes = () => this.buffered
    close = (code: number, reason: string) => void this.ends.push(`${code} ${reason}`)
    terminate = () => void this.ends.push('cut')
  }

  function open() {
    const socket = new FakeSocket()
    const time = new ManualTime()
    const gone: Connection[] = []
    const connection = new Connection({
      socket,
      clock: time,
      timers: time,
      listener: { caller: anonymous, address: null },
      gone: (over) => void gone.push(over),
    })
    return { socket, time, connection, gone }
  }

  test('are held for a slow client, newest only, until it has caught up', () => {
    const { socket, connection } = open()
    connection.send('speed 1', 'speed')
    socket.buffered = holdBackBytes + 1
    connection.send('speed 2', 'speed')
    connection.send('event')
    connection.send('speed 3', 'speed')
    expect(socket.sent).toEqual(['speed 1', 'event'])
    socket.buffered = 0
    connection.drained()
    connection.drained()
    expect(socket.sent).toEqual(['speed 1', 'event', 'speed 3'])
  })

  test('a dropped frame or too much unsent data ends the connection, once', async () => {
    for (const spoil of [
      (socket: FakeSocket) => void (socket.answer = 0),
      (socket: FakeSocket) => void (socket.buffered = unsentBytesMax + 1),
    ]) {
      const { socket, time, connection, gone } = open()
      spoil(socket)
      connection.send('one')
      connection.send('two')
      connection.closed()
      await time.advance(5_000)
      expect(socket.sent).toEqual(['one'])
      expect(socket.ends).toEqual(['1013 The connection is too slow for the live channel', 'cut'])
      expect(gone).toEqual([connection])
    }
  })
})
