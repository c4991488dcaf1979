import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { daemonClientOf } from '../../../test/support/daemon-client.ts'
import { daemonProcess } from '../../../test/support/daemon-process.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { practiceGame, practiceOrigin } from '../../../test/support/practice-origin.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

const origin = practiceOrigin({ games: [practiceGame('a')] })

const start = (platform: string, environment: Record<string, string> = {}) =>
  daemonProcess({ platform, folder: tempFolder('daemon'), environment })
const practice = { PREFILL_PRACTICE_ORIGIN: origin.url }

test.each([
  ['omega', {}, 'name a platform: alpha, beta, gamma, delta, epsilon'],
  ['test', {}, 'PREFILL_PRACTICE_ORIGIN: is missing'],
  ['test', { ...practice, LANCACHE_IP: 'a b' }, 'LANCACHE_IP: is not valid'],
  ['test', { ...practice, PREFILL_TCP_PORT: '70000' }, 'PREFILL_TCP_PORT'],
  ['test', { ...practice, PREFILL_TCP_PORT: '45555' }, 'PREFILL_SOCKET_SECRET: is missing'],
  ['test', { ...practice, PREFILL_SOCKET_PATH: `/tmp/${'x'.repeat(200)}` }, 'longer than'],
])('%s with %p cannot start, for one plain reason', async (platform, environment, reason) => {
  const { code, errors } = await start(platform, environment).ended()
  expect(code).toBe(78)
  expect(errors).toContain(reason)
  expect(errors.trim().split('\n')).toHaveLength(1)
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a run in order', async (signal) => {
  origin.intercept(() => new Promise(() => {}))
  const daemon = start('test', practice)
  const client = await daemon.connect()
  const login = await client.ask('login')
  expect(login.success).toBe(true)
  await eventually(() => client.events.length > 0, 'signed in')
  await client.ask('prefill', { all: 'true' })
  await eventually(() => origin.content.length > 0, 'requests are under way')
  daemon.process.kill(signal)
  expect((await daemon.ended()).code).toBe(0)
  expect(client.terminals()).toMatchObject([{ state: 'cancelled' }])
  expect(existsSync(daemon.socketPath)).toBe(false)
  origin.content.length = 0
})

test('the configured lifetime ends the process with code 0', async () => {
  const daemon = start('test', { ...practice, PREFILL_MAX_LIFETIME_SECONDS: '1' })
  expect((await daemon.ended()).code).toBe(0)
})

test('listens on TCP with a secret', async () => {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  const environment = { PREFILL_TCP_PORT: String(port), PREFILL_SOCKET_SECRET: 'S' }
  start('test', { ...practice, ...environment })
  const client = await daemonClientOf({ host: '127.0.0.1', port })
  expect((await client.ask('auth', { secret: 'S' })).success).toBe(true)
})
