import { afterEach, describe, expect, test } from 'bun:test'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { Elysia } from 'elysia'
import { eventually } from '../../../test/support/eventually.ts'
import { testApp } from '../../../test/support/app.ts'
import { slowness } from '../../../test/support/slowness.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readConfig } from '../config.ts'
import type { PeerSource } from '../http/remote-address.ts'
import { SettingError } from '../lib/settings-reader.ts'
import { listen, type Listening } from './listen.ts'
import { StartRefused } from './start-refused.ts'
import { thrownBy as refusalOf } from '../../../test/support/answers.ts'

const folder = tempFolder('listen')
const certPath = join(folder, 'cert.pem')
const keyPath = join(folder, 'key.pem')
const listening: Listening[] = []
afterEach(async () => {
  for (const one of listening.splice(0)) await one.stop()
})

/** Longest wait for one event of a connection. */
const waitMs = 5000
const stored = (name: string) => join(import.meta.dir, '../../../test/support/tls', name)
function install(name: 'localhost' | 'renewed'): void {
  copyFileSync(stored(`${name}.key.pem`), keyPath)
  copyFileSync(stored(`${name}.cert.pem`), certPath)
}

const settings = { HOST: '127.0.0.1', PORT: '0' }
const secure = { ...settings, Tls__CertPath: certPath, Tls__KeyPath: keyPath }
let peers: PeerSource
let warnings: unknown[] = []
const log = { info: () => {}, warn: (facts: unknown) => void warnings.push(facts) }
const open = (environment: Record<string, string>): Listening => {
  // Connections wait idle for a renewal, on a slow machine for a long time.
  const app = new Elysia({ serve: { idleTimeout: 0 } })
    .get('/', ({ request }) => peers.requestIP(request)?.address ?? 'unknown')
    .ws('/live', { message: (socket, message) => void socket.send(message) })
  const attach = (server: PeerSource) => void (peers = server)
  const one = listen(app, { config: readConfig(environment), log, attach, renewalCheckMs: 100 })
  listening.push(one)
  return one
}

function handshake(port: number): Promise<TLSSocket> {
  const options = { port, host: '127.0.0.1', rejectUnauthorized: false }
  return received('the handshake', (resolve, reject) => {
    const socket = connect(options, () => resolve(socket))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
  })
}

/** The event's value; throws with `what` after the time limit. */
function received<T>(
  what: string,
  listen: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  listen(resolve, reject)
  const timer = setTimeout(() => reject(new Error(`did not happen: ${what}`)), waitMs * slowness)
  return promise.finally(() => clearTimeout(timer))
}

/** The certificate's name on a new connection. */
async function nameAt(port: number): Promise<unknown> {
  const socket = await handshake(port)
  const { subject } = socket.getPeerCertificate()
  socket.destroy()
  return subject.CN
}

describe('without a certificate', () => {
  test('allows no other listener on the same port', () => {
    const { port } = open(settings)
    const refusal = refusalOf(() => open({ ...settings, PORT: String(port) }))
    expect(refusal).toBeInstanceOf(StartRefused)
    expect(String(refusal)).toContain(`cannot listen on 127.0.0.1:${port}: the port is in use`)
  })
})

describe('with a certificate', () => {
  test('serves a renewed one to new connections while open ones continue', async () => {
    install('localhost')
    const { port } = open(secure)
    expect(await nameAt(port)).toBe('localhost for tests')
    const url = `wss://127.0.0.1:${port}/live`
    const live = new WebSocket(url, { tls: { rejectUnauthorized: false } })
    await received('the socket opens', (resolve) => live.addEventListener('open', resolve))
    const held = await handshake(port)

    // An incomplete renewal does not end the service: the old pair stays until both files match.
    copyFileSync(stored('renewed.cert.pem'), certPath)
    warnings = []
    await eventually(() => warnings.length > 0, 'the incomplete pair is reported')
    expect(await nameAt(port)).toBe('localhost for tests')
    install('renewed')
    // A connection that the old server still had in its queue may be reset.
    const isRenewed = async () => (await nameAt(port).catch(() => '')) === 'renewed for tests'
    await eventually(isRenewed, 'the new certificate is served')

    const answered = received('the held connection is answered', (resolve) =>
      held.once('data', (data) => resolve(String(data))),
    )
    held.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const answer = await answered
    expect(answer).toStartWith('HTTP/1.1 200')
    expect(answer).toEndWith('127.0.0.1')
    held.destroy()
    const echo = received('the socket echoes', (resolve) =>
      live.addEventListener('message', ({ data }) => resolve(data)),
    )
    live.send('still here')
    expect(await echo).toBe('still here')
    live.close()
  })

  test('allows no other listener on the same port, not even one with a certificate', () => {
    install('localhost')
    const { port } = open(secure)
    const refusal = refusalOf(() => open({ ...secure, PORT: String(port) }))
    expect(refusal).toBeInstanceOf(StartRefused)
    expect(String(refusal)).toContain('the port is in use')
  })

  test('names missing or mismatched files in one line', () => {
    const refusals = [() => rmSync(certPath, { force: true }), () => writeFileSync(keyPath, '')]
    const mismatch = () => copyFileSync(stored('renewed.key.pem'), keyPath)
    for (const spoil of [...refusals, mismatch]) {
      install('localhost')
      spoil()
      const refusal = refusalOf(() => readConfig(secure))
      expect(refusal).toBeInstanceOf(SettingError)
      expect(String(refusal)).toContain('Tls__CertPath, Tls__KeyPath: ')
      expect(String(refusal)).not.toContain('\n')
    }
    install('localhost')
    expect(readConfig(secure).tls).toEqual({ certPath, keyPath })
    const half = refusalOf(() => readConfig({ ...settings, Tls__KeyPath: keyPath }))
    expect(String(half)).toContain('set both or none')
  })

  test('sends HSTS only with a certificate', async () => {
    const header = 'Strict-Transport-Security'
    for (const [environment, expected] of [
      [{}, null],
      [{ Tls__CertPath: certPath, Tls__KeyPath: keyPath }, 'max-age=31536000'],
    ] as const) {
      const app = await testApp({ environment })
      for (const path of ['/health', '/', '/nothing-here']) {
        expect((await app.request(path)).headers.get(header)).toBe(expected)
      }
      const cookies = (await app.request('/api/auth/status')).headers.getSetCookie()
      expect(cookies.length).toBeGreaterThan(0)
      expect(cookies.every((line) => line.includes('Secure'))).toBe(expected !== null)
      await app.stop()
    }
  })
})
