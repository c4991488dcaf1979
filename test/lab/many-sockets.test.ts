import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Visitor } from '../../src/demo/visitor.ts'
import { Larder } from './larder.ts'
import { LogWriter } from './log-writer.ts'
import { eventually } from './wait.ts'
import { logLine } from '../support/log-lines.ts'

const root = mkdtempSync(join(tmpdir(), 'larder-sockets-'))
const logPath = join(root, 'logs')
const connections = 500
const deafConnections = 5
const rounds = 12
let larder: Larder
let visitor: Visitor
let writer: LogWriter
const sockets: WebSocket[] = []
const deaf: Socket[] = []

/** Per socket, the marks that were seen in its frames. */
const seenBy = new Map<WebSocket, Set<string>>()
const markPattern = /"10\.88\.0\.\d+"/g

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

/** A client that takes the first frame and then never reads again. */
function openDeaf(): Promise<void> {
  const { hostname, port, host } = new URL(larder.url)
  const lines = [
    'GET /hubs/downloads HTTP/1.1',
    `Host: ${host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    `Cookie: ${visitor.cookieHeader}`,
  ]
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    })
    socket.on('error', reject)
    socket.once('data', () => {
      socket.pause()
      socket.on('error', () => {})
      deaf.push(socket)
      resolve()
    })
  })
}

const lineOf = (client: string): string =>
  logLine({ at: Math.floor(Date.now() / 1000), client, bytes: 1_048_576 })

/** Resident memory of the service without its database, bytes. */
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
}, 60_000)

afterAll(async () => {
  writer.stop()
  for (const socket of sockets) socket.close()
  for (const socket of deaf) socket.destroy()
  expect(await larder.stop()).toBe(0)
  rmSync(root, { recursive: true, force: true })
}, 60_000)

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

describe('500 sockets while the log is busy', () => {
  test('all are let in, among them some that never read', async () => {
    for (let at = 0; at < connections; at += 50) {
      await Promise.all(Array.from({ length: 50 }, open))
    }
    await Promise.all(Array.from({ length: deafConnections }, openDeaf))
    expect(sockets).toHaveLength(connections)
  }, 60_000)

  test('every one of them sees a new line within a second, and memory stays flat', async () => {
    const marks = join(logPath, 'other', 'access.log')
    const latencies: number[] = []
    const memory: number[] = []
    let text = ''
    for (let round = 0; round < rounds; round++) {
      const client = `10.88.0.${round}`
      const writtenMs = performance.now()
      text += lineOf(client)
      writeFileSync(marks, text)
      const hasSeen = (socket: WebSocket) => seenBy.get(socket)?.has(`"${client}"`) === true
      await eventually(() => sockets.every(hasSeen), `all sockets see ${client}`, 10_000)
      latencies.push(performance.now() - writtenMs)
      memory.push(residentBytes())
      await Bun.sleep(700)
    }
    // What polls and other processes of a busy machine add is in the single figures.
    expect(median(latencies)).toBeLessThan(1000)
    const settled = memory.slice(rounds / 3)
    const growth = (settled.at(-1) ?? 0) - (settled[0] ?? 0)
    expect(growth).toBeLessThan(24 * 1024 * 1024)
  }, 120_000)

  test('nobody was lost, and the page is still answered', async () => {
    expect(sockets.filter(({ readyState }) => readyState === WebSocket.OPEN)).toHaveLength(
      connections,
    )
    const started = performance.now()
    const speeds = await visitor.read<{ hasActiveDownloads: boolean }>('/api/Speeds/current')
    expect(speeds.hasActiveDownloads).toBe(true)
    expect(performance.now() - started).toBeLessThan(1000)
  })
})
