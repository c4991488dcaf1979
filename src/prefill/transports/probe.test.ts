import { afterEach, expect, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import {
  daemonStandIn,
  standInSecret,
  type DaemonStandIn,
} from '../../../test/support/daemon-stand-in.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { Platform } from '../../platforms/platforms.ts'
import type { DaemonAddress } from './contract.ts'
import { problemOf } from '../overview/problems.ts'
import { unopened, unreachable } from './connection.ts'
import { outsideTransport } from './outside.ts'

const parts = { clock: new ManualTime(), log: quietLog }
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** What is found at an address, with this secret. */
const stateAt = (address: DaemonAddress, secret: string | null = standInSecret) =>
  outsideTransport(parts, { address, secret }).state?.()
const at = ({ path }: DaemonStandIn): DaemonAddress => ({ kind: 'unix', path })

/** A socket that answers nothing that a daemon would. */
async function strangerAt(answer: (socket: Socket) => void): Promise<DaemonAddress> {
  const path = join(tempFolder('stranger'), 's.sock')
  const server = createServer((socket) => {
    socket.on('error', () => {})
    answer(socket)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return { kind: 'unix', path }
}

test.each<Platform>(['alpha', 'beta'])('a daemon of %s as it is found', async (platform) => {
  const daemon = await daemonStandIn(platform)
  expect(await stateAt(at(daemon))).toBe('ready')
  expect(daemon.received.map(({ type }) => type)).toEqual(['status'])
  expect(await stateAt(at(daemon), 'wrong')).toBe('secret')
  expect(await stateAt(at(daemon), null)).toBe('secret')
  await daemon.stop()
  expect(await stateAt(at(daemon))).toBe('refused')
})

test('a daemon that prefills is busy, and goes on undisturbed', async () => {
  const daemon = await daemonStandIn('beta')
  daemon.on('status', () => {
    setTimeout(() => daemon.progress({ state: 'downloading', currentAppId: 'fn' }), 20)
    return undefined
  })
  expect(await stateAt(at(daemon))).toBe('busy')
  expect(daemon.received.map(({ type }) => type)).toEqual(['status'])
})

test('what is no daemon, or does not answer', async () => {
  expect(await stateAt({ kind: 'unix', path: '/nowhere/d.sock' })).toBe('refused')
  expect(await stateAt({ kind: 'tcp', host: '127.0.0.1', port: 1 })).toBe('refused')
  const web = await strangerAt((socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
  expect(await stateAt(web)).toBe('unknown')
  expect(await stateAt(await strangerAt(() => {}))).toBe('silent')
})

test('a socket of another user is refused with the setting that opens it', async () => {
  const denied = Object.assign(new Error('connect EACCES'), { code: 'EACCES' })
  const found = unopened(denied)
  expect(found).toBe('denied')
  expect(problemOf('alpha', found)?.text).toContain('PREFILL_SOCKET_MODE')
  expect(unreachable(denied).message).toContain('PREFILL_SOCKET_MODE')
})

test('a state is kept for a while; callers at the same time share one question', async () => {
  const clock = new ManualTime()
  const daemon = await daemonStandIn('gamma')
  const outside = { address: at(daemon), secret: standInSecret }
  const transport = outsideTransport({ clock, log: quietLog }, outside)
  await Promise.all([transport.state?.(), transport.isAvailable(), transport.isAvailable()])
  daemon.state.secret = 'other'
  expect(await transport.isAvailable()).toBe(true)
  expect(daemon.received).toHaveLength(1)
  await clock.advance(20_000)
  expect(await transport.isAvailable()).toBe(false)
  expect(await transport.state?.()).toBe('secret')
})
