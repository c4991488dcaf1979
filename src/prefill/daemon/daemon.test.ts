import { describe, expect, test } from 'bun:test'
import { existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { dirname, join } from 'node:path'
import {
  practiceGame,
  practiceHost,
  practiceOrigin,
} from '../../../test/support/practice-origin.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { testDaemon } from '../../../test/support/test-daemon.ts'
import { encodeFrame } from '../protocol/frames.ts'

const origin = practiceOrigin({
  games: [
    practiceGame('a', { objects: 3, bytes: 1000, minutes: 5 }),
    practiceGame('b', { objects: 2, bytes: 5000 }),
    practiceGame('c', { unavailable: 'Not sold any more' }),
  ],
})
const environment = { PREFILL_PRACTICE_ORIGIN: origin.url }
const start = (options: Partial<Parameters<typeof testDaemon>[0]> = {}) =>
  testDaemon({
    cachePort: origin.port,
    ...options,
    environment: { ...environment, ...options.environment },
  })

describe('the socket', () => {
  test('is open to its owner only, in a folder of its own, and gone after the end', async () => {
    const { socketPath, stop } = await start()
    const modeOf = (path: string) => lstatSync(path).mode & 0o777
    expect([modeOf(socketPath), modeOf(dirname(socketPath))]).toEqual([0o600, 0o700])
    await stop()
    expect(existsSync(socketPath)).toBe(false)
  })

  test('has the configured mode', async () => {
    const { socketPath } = await start({ environment: { PREFILL_SOCKET_MODE: '666' } })
    expect(lstatSync(socketPath).mode & 0o777).toBe(0o666)
  })

  test('is not taken from another daemon, and a file in its place stays', async () => {
    const { folder, socketPath } = await start()
    const refused = await start({ folder }).catch(String)
    expect(refused).toContain(`another daemon listens on ${socketPath}`)
    const path = join(folder, 'run', 'other.sock')
    writeFileSync(path, 'mine')
    const blocked = await start({ environment: { PREFILL_SOCKET_PATH: path } }).catch(String)
    expect(blocked).toContain('exists and is not a socket')
  })

  test('of a killed daemon is replaced', async () => {
    const { folder, socketPath, stop } = await start()
    await stop()
    mkdirSync(dirname(socketPath), { recursive: true })
    // A process that ends without closing leaves its socket behind.
    const script = `require('net').createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, 9))`
    await Bun.spawn([process.execPath, '-e', script]).exited
    expect(lstatSync(socketPath).isSocket()).toBe(true)
    const { client } = await start({ folder })
    expect((await client.ask('status')).success).toBe(true)
  })
})

describe('authentication', () => {
  const secret = { PREFILL_SOCKET_SECRET: 'A1B2' }

  test('the right secret opens the connection', async () => {
    const { client } = await start({ environment: secret })
    const answer = await client.ask('auth', { secret: 'A1B2' })
    expect(answer).toMatchObject({ success: true, message: 'Authenticated' })
    expect((await client.ask('status')).success).toBe(true)
  })

  test.each([
    ['auth', { secret: 'A1B3' }, 'Authentication failed: invalid secret'],
    ['auth', {}, 'Authentication failed: invalid secret'],
    ['status', {}, "Authentication required. Send 'auth' command with secret first."],
  ])('%s with %p is refused and the connection closed', async (type, parameters, error) => {
    const { client } = await start({ environment: secret })
    expect(await client.ask(type, parameters)).toMatchObject({ success: false, error })
    await eventually(client.isClosed, 'the connection is closed')
  })

  test('events go to authenticated clients only', async () => {
    const { client, connect } = await start({ environment: secret })
    const stranger = await connect()
    await client.ask('auth', { secret: 'A1B2' })
    await client.ask('prefill', { products: '["a"]' })
    await client.ended()
    expect(stranger.events).toEqual([])
    expect(client.events.length).toBeGreaterThan(2)
  })

  test('strangers cannot take all connections', async () => {
    const { connect, client } = await start({ environment: secret })
    const strangers = await Promise.all(Array.from({ length: 31 }, connect))
    const refused = await connect()
    await eventually(refused.isClosed, 'one too many is closed')
    await client.ask('auth', { secret: 'A1B2' })
    const manager = await connect()
    expect((await manager.ask('auth', { secret: 'A1B2' })).success).toBe(true)
    expect(strangers.filter((stranger) => stranger.isClosed())).toEqual([])
  })

  test('a stranger may not send long frames', async () => {
    const { client } = await start({ environment: secret })
    client.socket.write(encodeFrame('x'.repeat(5000)))
    await eventually(client.isClosed, 'the connection is closed')
  })
})

describe('requests', () => {
  test.each([
    ['{', { id: 'error', error: 'The request is not JSON' }],
    ['null', { id: 'unknown', error: 'The request is null' }],
    ['{"id":"7"}', { id: '7', error: 'request: type is not a text' }],
    ['[]', { id: 'error', error: 'request: not an object' }],
    ['{"id":8,"type":"dance"}', { id: '8', error: 'Unknown command type: dance' }],
    ['{"id":"9","type":"login"}', { id: '9', error: 'Unknown command type: login' }],
    [
      '{"id":"10","type":"get-cdn-info"}',
      { id: '10', error: 'Unknown command type: get-cdn-info' },
    ],
    [
      '{"id":"11","type":"prefill","parameters":{"products":"no"}}',
      { id: '11', error: 'app ids: not JSON' },
    ],
  ])('%s', async (text, answer) => {
    const { client } = await start()
    client.socket.write(encodeFrame(text))
    await eventually(() => client.responses.length > 0, 'an answer')
    expect(client.responses[0]).toMatchObject({ success: false, requiresLogin: false, ...answer })
    expect(client.isClosed()).toBe(false)
  })

  test('an impossible length closes the connection', async () => {
    const { client } = await start()
    client.socket.write(Buffer.from([0xff, 0xff, 0xff, 0x7f]))
    await eventually(client.isClosed, 'the connection is closed')
  })

  test('a client that goes away in the middle disturbs nobody', async () => {
    const { client, socketPath } = await start()
    const half = net.connect(socketPath)
    half.write(encodeFrame('{"id":"1","type":"get-owned-games"}').subarray(0, 9))
    half.on('connect', () => half.destroy())
    expect((await client.ask('status')).data).toMatchObject({ isLoggedIn: true })
  })
})

describe('apps', () => {
  test('library, selection, sizes and cache status', async () => {
    const { client } = await start()
    const games = await client.ask('get-owned-games')
    expect(games.data).toMatchObject([
      { appId: 'a', name: 'Game a' },
      { appId: 'b', name: 'Game b' },
      { appId: 'c', name: 'Game c' },
    ])
    expect((await client.ask('get-selected-apps')).data).toEqual([])
    await client.ask('set-selected-apps', { appIds: '["b","a","a",7]' })
    expect((await client.ask('get-selected-apps')).data).toEqual(['b', 'a', '7'])
    await client.ask('set-selected-apps', { appIds: '["c","b","a"]' })
    expect((await client.ask('get-selected-apps-status')).data).toMatchObject({
      apps: [
        { appId: 'a', downloadSize: 3000, isUpToDate: false },
        { appId: 'b', downloadSize: 10_000, isUpToDate: false },
        { appId: 'c', downloadSize: 0, unavailableReason: 'Not sold any more' },
      ],
      totalDownloadSize: 13_000,
    })
    // Of others than the selection, which stays.
    const others = await client.ask('get-selected-apps-status', { appIds: '["a","a"]' })
    expect(others.data).toMatchObject({ apps: [{ appId: 'a' }], totalDownloadSize: 3000 })
    expect((await client.ask('get-selected-apps')).data).toEqual(['c', 'b', 'a'])
    await client.ask('prefill', { products: '["a"]' })
    await client.ended()
    const status = await client.ask('check-cache-status', { appIds: '["a","b","unknown"]' })
    expect(status.data).toMatchObject({
      apps: [
        { appId: 'a', isUpToDate: true },
        { appId: 'b', isUpToDate: false },
      ],
    })
    // Of the usual cache only.
    const about = { appIds: '["a"]' }
    const isCurrent = async (parameters: Record<string, string>) =>
      (await client.ask('get-selected-apps-status', { ...about, ...parameters })).data
    expect(await isCurrent({})).toMatchObject({ apps: [{ appId: 'a', isUpToDate: true }] })
    const other = new URL(origin.url).host
    expect(await isCurrent({ cache: other })).toMatchObject({
      apps: [{ appId: 'a', isUpToDate: false, downloadSize: 3000 }],
    })
    await client.ask('set-selected-apps', { appIds: '[]' })
    expect((await client.ask('get-selected-apps')).data).toEqual([])
  })

  test('alpha has numbers, and depots as versions', async () => {
    const games = [practiceGame('440', { version: '441:18446744073709551615' })]
    const login = { displayName: 'x', steps: [] }
    const other = practiceOrigin({ games, login })
    const { client } = await start({
      platform: 'alpha',
      environment: { PREFILL_PRACTICE_ORIGIN: other.url },
    })
    await client.ask('login')
    await eventually(() => client.events.length > 0, 'signed in')
    expect((await client.ask('get-owned-games')).data).toMatchObject([{ appId: 440 }])
    const chosen = await client.ask('set-selected-apps', { appIds: '["x"]' })
    expect(chosen.error).toBe('No valid app ids')
    await client.ask('set-selected-apps', { appIds: '["440"]' })
    expect((await client.ask('get-selected-apps')).data).toEqual([440])
    const depots = (manifestId: string) =>
      client.ask('check-cache-status', {
        cachedDepots: `[{"appId":440,"depotId":441,"manifestId":${manifestId}}]`,
      })
    expect((await depots('18446744073709551615')).data).toMatchObject({
      apps: [{ appId: 440, isUpToDate: true, outdatedDepots: [] }],
    })
    expect((await depots('18446744073709551614')).data).toMatchObject({
      apps: [
        {
          isUpToDate: false,
          outdatedDepots: [
            {
              depotId: 441,
              cachedManifest: '18446744073709551614',
              currentManifest: '18446744073709551615',
            },
          ],
        },
      ],
    })
  })
})

test('content is requested from the cache under its original host', async () => {
  const other = practiceOrigin({ games: [practiceGame('z', { objects: 1 })] })
  const { client } = await start({
    cachePort: other.port,
    environment: { PREFILL_PRACTICE_ORIGIN: other.url },
  })
  await client.ask('prefill', { all: 'true' })
  await client.ended()
  expect(other.content).toEqual([{ path: '/size/1000/z/0', host: practiceHost, range: null }])
})
