import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createConnection, type Socket } from 'node:net'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { signInGuest, signInOwner, type Browser } from '../../../test/support/sign-in.ts'
import { jsonBytesMax } from './request-body.ts'

const connections = 300
const mib = 1024 * 1024
let app: TestApp
let host: string
const sockets: Socket[] = []

beforeEach(async () => {
  app = await testApp()
  host = app.listen()
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** Connections that declare a whole body, send six bytes of it and stop; returns their answers. */
function stopHalfway(count: number, path: string, headers: Record<string, string>) {
  const lines = Object.entries({
    Host: host,
    'Content-Type': 'application/json',
    'Content-Length': String(jsonBytesMax),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Array.from({ length: count }, () => {
    const sender = { answer: '' }
    const socket = createConnection(Number(host.split(':')[1]), '127.0.0.1')
    sockets.push(socket)
    socket.on('data', (block) => (sender.answer += block.toString('latin1')))
    socket.on('error', () => {})
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n{"a": `)
    return sender
  })
}

const refused = (senders: { answer: string }[]) =>
  senders.filter(({ answer }) => answer.startsWith('HTTP/1.1 503')).length

const cookiesOf = ({ cookies }: Browser) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** A call with a body, over a socket of its own. */
async function patchSetUp(browser: Browser): Promise<number> {
  const headers = {
    Cookie: cookiesOf(browser),
    'X-Antiforgery-Token': await browser.token(),
    'Content-Type': 'application/json',
  }
  const init = { method: 'PATCH', headers, body: JSON.stringify({ completed: true }) }
  return (await fetch(`http://${host}/api/system/setup`, init)).status
}

/** A guest's own call with a body, from this address. */
async function logOut(address: string): Promise<number> {
  const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address }
  const init = { method: 'POST', headers, body: '{}' }
  return (await fetch(`http://${host}/api/auth/logout`, init)).status
}

test('bodies that stop halfway take a guest’s own share and nothing else', async () => {
  const owner = await signInOwner(app)
  const guest = await signInGuest(app)
  const token = await guest.token()
  const senders = stopHalfway(connections, '/api/auth/logout', {
    Cookie: cookiesOf(guest),
    'X-Antiforgery-Token': token,
    'X-Forwarded-For': '10.1.0.1',
  })
  const held = mib / jsonBytesMax
  await eventually(() => refused(senders) === connections - held, 'the share is used up')
  expect(await logOut('10.1.0.1')).toBe(200)
  expect(await patchSetUp(owner)).toBe(200)
})

test('nor do those of visitors with many addresses keep an account out', async () => {
  const owner = await signInOwner(app)
  const senders = Array.from({ length: 5 }, (_, n) =>
    stopHalfway(connections / 5, '/api/auth/logout', { 'X-Forwarded-For': `10.1.0.${n}` }),
  ).flat()
  const held = (8 * mib) / jsonBytesMax
  await eventually(() => refused(senders) === connections - held, 'the shares are used up')
  expect(await logOut('10.2.0.1')).toBe(503)
  expect(await patchSetUp(owner)).toBe(200)
  for (const socket of sockets.splice(0)) socket.destroy()
  await eventually(async () => (await logOut('10.2.0.1')) === 200, 'shares are given back')
})
