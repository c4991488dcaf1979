import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { join } from 'node:path'
import { Larder } from './larder.ts'
import { eventually } from '../support/eventually.ts'
import { tempFolder } from '../support/temp-folder.ts'

const connections = 100
const mib = 1024 * 1024
/** Without limits, one test's connections make the service hold 100 MiB and more. */
const growthMibMax = 64
const root = tempFolder('bodies')
const sockets: Socket[] = []
let larder: Larder
/** Before the first body: memory that was used once may stay with the process. */
let idleMib = 0
/** A token as sent by our own page; any client can request one. */
let token = ''

beforeAll(async () => {
  const logPath = join(root, 'logs')
  mkdirSync(logPath)
  mkdirSync(join(root, 'cache'))
  const sources = [{ name: 'default', logPath }]
  const dataPath = join(root, 'data')
  larder = await Larder.start({ dataPath, cachePath: join(root, 'cache'), sources })
  const { headers } = await fetch(`${larder.url}/api/auth/status`)
  token = /Svc\.Antiforgery=([^;]+)/.exec(headers.getSetCookie().join())?.[1] ?? ''
  expect(token).not.toBe('')
  // Until then the start itself needs memory.
  await eventually(() => larder.output.includes('history ready'), 'the start is over')
  idleMib = heldMib()
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})
afterAll(async () => {
  expect(await larder.stop()).toBe(0)
})

const heldMib = (): number => {
  const status = readFileSync(`/proc/${larder.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
}

interface Flood {
  method: string
  path: string
  bytes: number
  isChunked: boolean
}

interface Sender {
  answer: string
  isDone: boolean
}

/** One connection that sends its body except the end and then stays open. */
function connect({ method, path, bytes, isChunked }: Flood): Sender {
  const socket = createConnection(Number(new URL(larder.url).port), '127.0.0.1')
  const sender: Sender = { answer: '', isDone: false }
  sockets.push(socket)
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`
  const headers = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Cookie: Svc.Antiforgery=${token}`,
    `X-Antiforgery-Token: ${token}`,
    length,
  ]
  const head = `${headers.join('\r\n')}\r\n\r\n`
  const body = 'x'.repeat(bytes - 1)
  socket.on('data', (block) => (sender.answer += block.toString('latin1')))
  socket.on('error', () => (sender.isDone = true))
  socket.on('close', () => (sender.isDone = true))
  socket.write(isChunked ? `${head}${(bytes - 1).toString(16)}\r\n${body}` : head + body, () => {
    sender.isDone = true
  })
  return sender
}

/** Memory growth caused by 100 such connections, and their statuses. */
async function flood(what: Flood, isAnswered: boolean) {
  const senders = Array.from({ length: connections }, () => connect(what))
  const isOver = ({ isDone, answer }: Sender) => isDone && (!isAnswered || answer !== '')
  await eventually(() => senders.every(isOver), 'everything is sent', 60_000)
  // A request after theirs: when it is answered, the service has read what they sent.
  expect((await fetch(`${larder.url}/health`)).status).toBe(200)
  const statuses = [...new Set(senders.map(({ answer }) => answer.slice(9, 12)))].sort()
  return { growth: heldMib() - idleMib, statuses }
}

describe('anonymous connections that send most of a body and stop', () => {
  const login = { method: 'POST', path: '/api/auth/login' }
  const logout = { method: 'POST', path: '/api/auth/logout' }
  test.each([
    [{ ...login, bytes: 4 * mib, isChunked: false }, ['413']],
    [{ ...login, bytes: 4 * mib, isChunked: true }, ['', '400', '413', '429']],
    [{ ...login, bytes: 1_200_000, isChunked: false }, ['429']],
    [{ ...logout, bytes: 1_200_000, isChunked: false }, ['413']],
    [{ ...logout, bytes: 1_200_000, isChunked: true }, ['413']],
    // Within the route's limit, so the service waits for as many as the address has a share for.
    [{ ...logout, bytes: 64 * 1024, isChunked: false }, ['', '503']],
    [{ ...logout, bytes: 64 * 1024, isChunked: true }, ['', '503']],
    [{ ...login, path: '/unknown', bytes: 1_200_000, isChunked: false }, ['404']],
    [{ method: 'GET', path: '/api/version', bytes: 1_200_000, isChunked: false }, ['200']],
  ])('%j', async (what, expected) => {
    const { growth, statuses } = await flood(what, !expected.includes(''))
    expect(statuses.filter((status) => !expected.includes(status))).toEqual([])
    expect(growth).toBeLessThan(growthMibMax)
  })

  test('leave the service available to others', async () => {
    const answer = await fetch(`${larder.url}/api/auth/logout`, { method: 'POST' })
    expect(answer.status).not.toBe(503)
  })

  test('are no failures of the service', () => {
    expect(larder.output).not.toContain('request failed')
  })
})
