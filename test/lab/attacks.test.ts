import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { tempFolder } from '../support/temp-folder.ts'
import { Larder } from './larder.ts'

const root = tempFolder('attacks')
const answerTimeoutMs = 10_000
let larder: Larder

beforeAll(async () => {
  const logPath = join(root, 'logs')
  mkdirSync(logPath)
  mkdirSync(join(root, 'cache'))
  const sources = [{ name: 'default', logPath }]
  larder = await Larder.start({
    dataPath: join(root, 'data'),
    cachePath: join(root, 'cache'),
    sources,
    environment: { LOG_LEVEL: 'debug' },
  })
})
afterAll(async () => {
  expect(await larder.stop()).toBe(0)
})

/** Sends raw bytes and returns the response, up to the close or silence of the peer. */
function raw(parts: string[]): Promise<string> {
  const { port } = new URL(larder.url)
  return new Promise((resolve) => {
    let text = ''
    const socket = createConnection(Number(port), '127.0.0.1')
    const end = () => {
      socket.destroy()
      resolve(text)
    }
    socket.setTimeout(answerTimeoutMs, end)
    socket.on('data', (block) => {
      text += block.toString('latin1')
      if (text.includes('\r\n\r\n')) setTimeout(end, 200)
    })
    socket.on('close', end)
    socket.on('error', end)
    for (const part of parts) socket.write(part)
  })
}

const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
const post = (path: string, headers: string[]) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    ...headers,
    '',
    '',
  ].join('\r\n')

describe('attacks on the wire', () => {
  test('refuses a declared body of a gigabyte before reading it', async () => {
    const text = await raw([post('/api/auth/login', ['Content-Length: 1073741824'])])
    expect(statusOf(text)).toBe(413)
  })

  test('cuts off an endless chunked body', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x1_0000)}\r\n`
    const head = post('/api/auth/login', ['Transfer-Encoding: chunked'])
    const text = await raw([head, ...Array.from({ length: 100 }, () => chunk)])
    expect([0, 400, 413]).toContain(statusOf(text))
  })

  test.each([
    '/api/themes/x%0d%0aSet-Cookie:%20evil=1',
    '/api/downloads/1%0d%0aX-Evil:%201',
    '/%0d%0aX-Evil:%201',
    '/api/game-images/name/x/%0d%0aX-Evil:%201/header',
  ])('%s cannot add a header to the response', async (path) => {
    const text = await raw([`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`])
    const head = text.split('\r\n\r\n', 1)[0] ?? ''
    expect(statusOf(text)).toBeGreaterThanOrEqual(200)
    expect(head).not.toMatch(/^(X-Evil|Set-Cookie: evil)/im)
  })

  test.each([
    '/../../etc/passwd',
    '/assets/../../../etc/passwd',
    '/assets/%2e%2e/%2e%2e/package.json',
  ])('%s cannot leave the served folder', async (path) => {
    const text = await raw([`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`])
    expect(text).not.toContain('root:')
    expect(text).not.toContain('"packageManager"')
  })

  test('refuses two different lengths', async () => {
    const head = post('/api/auth/login', ['Content-Length: 2', 'Content-Length: 30'])
    const text = await raw([head, '{}GET /api/auth/status HTTP/1.1\r\n\r\n'])
    expect(statusOf(text)).toBe(400)
  })

  test('a line break in a request cannot forge a log line', async () => {
    await raw(['GET /x%0a{"level":50,"msg":"forged"} HTTP/1.1\r\nHost: localhost\r\n\r\n'])
    const lines = larder.output.split('\n').filter((line) => line !== '')
    expect(lines.filter((line) => (JSON.parse(line) as { msg: string }).msg === 'forged')).toEqual(
      [],
    )
  })

  test('refuses a flood of headers and keeps running', async () => {
    const flood = Array.from({ length: 500 }, (_, n) => `X-${n}: ${'y'.repeat(200)}`).join('\r\n')
    const text = await raw([`GET /health HTTP/1.1\r\nHost: localhost\r\n${flood}\r\n\r\n`])
    expect([0, 200, 400, 431]).toContain(statusOf(text))
    expect((await fetch(`${larder.url}/health`)).status).toBe(200)
  })

  test('refuses a socket without a session, or from another page', async () => {
    const upgrade = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13']
    const ask = (more: string[]) =>
      raw([
        ['GET /hubs/downloads HTTP/1.1', 'Host: localhost', ...upgrade, ...more, '', ''].join(
          '\r\n',
        ),
      ])
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
    expect(statusOf(await ask([key]))).toBe(401)
    expect([401, 403]).toContain(statusOf(await ask([key, 'Origin: http://evil.example'])))
  })
})
