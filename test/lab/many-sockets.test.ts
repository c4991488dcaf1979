import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Visitor } from '../../src/demo/visitor.ts'
import { UnreadSocket } from './unread-socket.ts'
import { Larder } from './larder.ts'
import { LogWriter } from './log-writer.ts'
import { eventually } from '../support/eventually.ts'
import { closeCodes, cutAfterMs, unsentBytesMax } from '../../src/core/live/limits.ts'
import { logLine } from '../support/log-lines.ts'
import { slowness } from '../support/slowness.ts'
import { tempFolder } from '../support/temp-folder.ts'

const root = tempFolder('sockets')
const logPath = join(root, 'logs')
const connections = 500
const deafConnections = 5
const rounds = 12
/** Some 42 KB each: well beyond the limit of unsent bytes and the buffers below. */
const largeEvents = 40
const reason = 'The connection is too slow for the live channel'
interface Group {
  id: number
}
let larder: Larder
let visitor: Visitor
let writer: LogWriter
const sockets: WebSocket[] = []
const deaf: UnreadSocket[] = []

/** Marks seen in the frames of each socket. */
const seenBy = new Map<WebSocket, Set<string>>()
const markPattern = /"10\.88\.\d\.\d+"/g

function open(): Promise<void> {
  const url = `${larder.url.replace('http', 'ws')}/hubs/downloads`
  const socket = new WebSocket(url, { headers: { cookie: visitor.cookieHeader } })
  const seen = new Set<string>()
  seenBy.set(socket, seen)
  socket.addEventListener('message', ({ data }) => {
    for (const mark of String(data).match(markPattern) ?? []) seen.add(mark)
  })
  sockets.push(socket)
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true })
    socket.addEventListener('error', () => reject(new Error('refused')), { once: true })
  })
}

/** A client that takes the response to its upgrade and then never reads again. */
async function openDeaf(): Promise<void> {
  const { port, host } = new URL(larder.url)
  const lines = [
    'GET /hubs/downloads HTTP/1.1',
    `Host: ${host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    `Cookie: ${visitor.cookieHeader}`,
  ]
  const socket = new UnreadSocket(Number(port), `${lines.join('\r\n')}\r\n\r\n`)
  deaf.push(socket)
  const isUpgraded = () => socket.read(12)?.toString() === 'HTTP/1.1 101'
  await eventually(isUpgraded, 'the upgrade is answered')
}

/** The same group each time: a large event, all of which reach every client. */
async function largeEvent(groupId: number): Promise<void> {
  const change = { nickname: 'Everybody', description: null, separateMemberRows: false }
  await visitor.write('PUT', `/api/client-groups/${groupId}`, change)
}

const manyAddresses = Array.from({ length: 1000 }, (_, at) => {
  const group = (0x1000 + at).toString(16)
  return `fd00:${Array.from({ length: 7 }, () => group).join(':')}`
})

const lineOf = (client: string): string =>
  logLine({ at: Math.floor(Date.now() / 1000), client, bytes: 1_048_576 })

/** Resident memory of the service without its database, in bytes. */
function residentBytes(): number {
  const status = readFileSync(`/proc/${larder.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}

beforeAll(async () => {
  mkdirSync(logPath)
  for (const name of ['access.log', 'other/access.log']) {
    mkdirSync(join(logPath, name, '..'), { recursive: true })
    writeFileSync(join(logPath, name), '')
  }
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: join(root, 'cache'),
    sources: [
      { name: 'busy', logPath },
      { name: 'marks', logPath: join(logPath, 'other') },
    ],
  })
  visitor = await larder.firstSignIn()
  writer = new LogWriter(join(logPath, 'access.log'), 7).start()
})

afterAll(async () => {
  writer.stop()
  for (const socket of sockets) socket.close()
  for (const socket of deaf) socket.close()
  expect(await larder.stop()).toBe(0)
})

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const marksPath = join(logPath, 'other', 'access.log')

/** Time until every socket has received a client of a new log line. */
async function seenByAll(client: string, text: string): Promise<number> {
  const writtenMs = performance.now()
  writeFileSync(marksPath, text)
  const hasSeen = (socket: WebSocket) => seenBy.get(socket)?.has(`"${client}"`) === true
  await eventually(() => sockets.every(hasSeen), `all sockets see ${client}`, 10_000)
  return performance.now() - writtenMs
}

describe('500 sockets while the log is busy', () => {
  test('are all accepted, including some that never read', async () => {
    for (let at = 0; at < connections; at += 50) {
      await Promise.all(Array.from({ length: 50 }, open))
    }
    await Promise.all(Array.from({ length: deafConnections }, openDeaf))
    expect(sockets).toHaveLength(connections)
  })

  test('each receive a new line within a second, with constant memory', async () => {
    const latencies: number[] = []
    const memory: number[] = []
    let text = ''
    for (let round = 0; round < rounds; round++) {
      const client = `10.88.0.${round}`
      text += lineOf(client)
      latencies.push(await seenByAll(client, text))
      memory.push(residentBytes())
      await Bun.sleep(700)
    }
    // Polling and other processes of a busy machine add less than ten.
    expect(median(latencies)).toBeLessThan(1000 * slowness)
    const settled = memory.slice(rounds / 3)
    const growth = (settled.at(-1) ?? 0) - (settled[0] ?? 0)
    expect(growth).toBeLessThan(24 * 1024 * 1024)
  })

  test('disconnects those that never read; the others receive a line within a second', async () => {
    const body = { nickname: 'Everybody', initialIps: manyAddresses }
    const group = (await (
      await visitor.request('POST', '/api/client-groups', body)
    ).json()) as Group
    const residentBefore = residentBytes()
    const [late, ...rest] = deaf
    if (late === undefined) throw new Error('nobody is deaf')
    const latencies: number[] = []
    let text = readFileSync(marksPath, 'utf8')
    for (let event = 0; event < largeEvents; event++) {
      await largeEvent(group.id)
      if (event % 5 !== 0) continue
      const client = `10.88.1.${event}`
      text += lineOf(client)
      latencies.push(await seenByAll(client, text))
    }
    expect(median(latencies)).toBeLessThan(1000 * slowness)

    // One of them reads before it is cut off: the sent data, and the close reason.
    late.widen(unsentBytesMax)
    const received: Buffer[] = []
    const tail = () => Buffer.concat(received.slice(-8)).toString('latin1')
    const untilMs = performance.now() + cutAfterMs
    while (performance.now() < untilMs && !tail().includes(reason)) {
      const part = late.read(65_536)
      if (part === null) await Bun.sleep(1)
      else received.push(part)
    }
    expect(tail().slice(-reason.length)).toBe(reason)
    const code = Buffer.from(tail(), 'latin1').readUInt16BE(tail().length - reason.length - 2)
    expect(code).toBe(closeCodes.tooSlow)
    // Data sent before is complete; beyond the limit nothing was kept for it.
    const receivedBytes = received.reduce((sum, { length }) => sum + length, 0)
    expect(receivedBytes).toBeGreaterThan(unsentBytesMax)
    expect(receivedBytes).toBeLessThan(unsentBytesMax + 512 * 1024)
    // The others never read: their connections are cut.
    await eventually(() => rest.every((socket) => !socket.isConnected()), 'the others are cut')
    await eventually(
      () => residentBytes() < residentBefore + 32 * 1024 * 1024,
      'memory is given back',
    )
  })

  test('all others stay connected, and the page still responds', async () => {
    expect(sockets.filter(({ readyState }) => readyState === WebSocket.OPEN)).toHaveLength(
      connections,
    )
    await seenByAll('10.88.2.0', readFileSync(marksPath, 'utf8') + lineOf('10.88.2.0'))
    const started = performance.now()
    const speeds = await visitor.read<{ hasActiveDownloads: boolean }>('/api/Speeds/current')
    expect(speeds.hasActiveDownloads).toBe(true)
    expect(performance.now() - started).toBeLessThan(1000 * slowness)
  })
})
