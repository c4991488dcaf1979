import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { liveServer, type LiveServer } from '../../../test/support/live-server.ts'
import type { Audience } from './contract.ts'
import { events } from '../../app.ts'

let server: LiveServer

beforeEach(() => {
  server = liveServer()
})
afterEach(() => server.stop())

/** Publishes what the types do not allow. */
function publish(event: string, data: unknown, audience?: Audience): void {
  const hub: { publish(event: string, data: unknown, audience?: Audience): void } = server.hub
  hub.publish(event, data, audience)
}

/** Status of an upgrade request, as sent by a browser or a program. */
async function upgrade(headers: Record<string, string>): Promise<number> {
  const response = await fetch(`http://${server.host}/hubs/downloads`, {
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    },
  })
  return response.status
}

describe('who may connect', () => {
  test.each([
    ['nobody', {}, 401],
    ['nobody from a foreign page', { Origin: 'http://evil.example' }, 403],
    [
      'a guest from a foreign page',
      { Origin: 'http://evil.example', 'x-caller': 'guest guest-1' },
      403,
    ],
    [
      'an account from a foreign page',
      { Origin: 'https://evil.example', 'x-caller': 'admin admin-1' },
      403,
    ],
    ['a sandboxed page', { Origin: 'null', 'x-caller': 'admin admin-1' }, 403],
    [
      'another port of this host',
      { Origin: 'http://127.0.0.1:1', 'x-caller': 'admin admin-1' },
      403,
    ],
  ])('%s is refused', async (_who, headers, status) => {
    expect(await upgrade(headers)).toBe(status)
    expect(server.hub.connectionCount()).toBe(0)
    const messages = server.logLines.filter((line) => line.includes('Security__AllowedOrigins'))
    expect(messages).toHaveLength(status === 403 ? 1 : 0)
  })

  test.each([
    ['our own page', () => `http://${server.host}`],
    ['a listed origin', () => 'https://panel.example'],
  ])('%s is admitted', async (_who, origin) => {
    const headers = { Origin: origin(), 'x-caller': 'guest guest-1' }
    const socket = new WebSocket(`ws://${server.host}/hubs/downloads`, { headers })
    await new Promise((resolve) => socket.addEventListener('open', resolve))
    expect(server.hub.connectionCount()).toBe(1)
  })

  test('closes the socket of a session that ended in between', async () => {
    const socket = new WebSocket(`ws://${server.host}/hubs/downloads`, {
      headers: { 'x-caller': 'guest unknown-session' },
    })
    const code = await new Promise((resolve) => {
      socket.addEventListener('close', (event) => resolve(event.code))
    })
    expect(code).toBe(4001)
    expect(server.hub.connectionCount()).toBe(0)
  })
})

describe('messages to a connection', () => {
  test('begin with the greeting, then the snapshot, reduced for guests', async () => {
    const entry = { key: 'x', aspect: 'running', isActive: true, activeCount: 1 }
    const activities = [
      { ...entry, domain: 'operation' },
      { ...entry, domain: 'download' },
    ]
    server.hub.provideSnapshot(() => ({ revision: 3, activities }))
    const admin = await server.connect('admin admin-1')
    const guest = await server.connect('guest guest-1')
    expect(admin.frames).toEqual([
      { event: 'Welcome', data: { serverTime: '2026-03-01T12:00:00.000Z' } },
      { event: 'ActivityUpdated', data: { revision: 3, activities } },
    ])
    expect(guest.frames[1]?.data).toEqual({ revision: 3, activities: activities.slice(1) })
  })

  test('follow the whole catalogue for each kind of session', async () => {
    const owner = await server.connect('guest guest-1')
    const guest = await server.connect('guest guest-2')
    const admin = await server.connect('admin admin-1')
    const data = { sessionId: 'guest-1', revision: 1, activities: [], message: 'secret', count: 9 }
    const names = [...events.keys()].filter((name) => name !== 'Welcome' && name !== 'Pong')
    for (const name of names) publish(name, data)
    await Promise.all([owner.sync(), guest.sync(), admin.sync()])
    const seen = (client: typeof owner) =>
      client.frames.slice(2).filter(({ event }) => event !== 'Pong')
    expect(seen(admin).map(({ event }) => event)).toEqual(names)

    const forGuests = [
      'ActivityUpdated',
      'DownloadSpeedUpdate',
      'DownloadsRefresh',
      'HistoryStatusChanged',
      'GameImagesUpdated',
      'ClientHostnamesChanged',
      'EventCreated',
      'EventUpdated',
      'EventDeleted',
      'EventsCleared',
      'DownloadTagged',
      'DefaultGuestRefreshRateChanged',
      'GuestRefreshRateLockChanged',
      'AllowedTimeFormatsChanged',
      'DefaultGuestPreferencesChanged',
      'DefaultGuestThemeChanged',
      'GuestModeLockChanged',
      'GuestDurationUpdated',
      'UserPreferencesReset',
      'PrefillDefaultsChanged',
      'GuestPrefillConfigChanged',
      'BetaGuestPrefillConfigChanged',
      'GammaGuestPrefillConfigChanged',
      'DeltaGuestPrefillConfigChanged',
      'EpsilonGuestPrefillConfigChanged',
    ]
    const own = [
      'UserPreferencesUpdated',
      'GuestRefreshRateUpdated',
      'GuestPrefillPermissionChanged',
      'UserSessionRevoked',
      'UserSessionDeleted',
    ]
    expect(new Set(seen(guest).map(({ event }) => event))).toEqual(new Set(forGuests))
    expect(new Set(seen(owner).map(({ event }) => event))).toEqual(new Set([...forGuests, ...own]))
    expect(guest.received('DownloadsRefresh')).toEqual([null])
    expect(guest.received('ActivityUpdated').at(-1)).toEqual({ revision: 1, activities: [] })
    expect(guest.received('HistoryStatusChanged')).toEqual([{ ...data, message: null }])
    expect(admin.received('HistoryStatusChanged')).toEqual([data])
  })

  test("an explicit audience narrows the catalogue's, and never widens it", async () => {
    const guest = await server.connect('guest guest-1')
    const other = await server.connect('guest guest-2')
    const admin = await server.connect('admin admin-1')
    publish('CredentialChallenge', { n: 1 }, { sessionId: 'guest-1' })
    publish('CredentialChallenge', { n: 2 }, { sessionId: 'guest-1', alsoAccounts: true })
    publish('CredentialChallenge', { n: 3 }, 'everyone')
    publish('NeverHeardOf', { n: 4 })
    await Promise.all([guest.sync(), other.sync(), admin.sync()])
    expect(guest.received('CredentialChallenge')).toEqual([{ n: 1 }, { n: 2 }])
    expect(other.frames.map(({ event }) => event)).toEqual(['Welcome', 'ActivityUpdated', 'Pong'])
    expect(admin.received('CredentialChallenge')).toEqual([{ n: 2 }, { n: 3 }])
    expect(admin.received('NeverHeardOf')).toEqual([])
    expect(server.logLines).toHaveLength(2)
  })

  test('an unserialisable payload does not fail its sender; a frame is built once', async () => {
    await Promise.all([server.connect('admin admin-1'), server.connect('admin admin-2')])
    await Promise.all([server.connect('guest guest-1'), server.connect('guest guest-2')])
    let reads = 0
    const data = {
      toJSON() {
        reads++
        return {}
      },
    }
    publish('EventCreated', data)
    expect(reads).toBe(1)
    publish('EventCreated', { n: 1n })
    expect(server.logLines.at(-1)).toContain('event not published')
  })
})

describe('frames from a client', () => {
  test('only a ping is answered; anything else is ignored', async () => {
    const client = await server.connect('guest guest-1')
    const others = ['', 'ping', '{', '[]', 'null', '7', '{"type":"subscribe"}', '{"type":{"a":1}}']
    for (const text of others) client.socket.send(text)
    client.socket.send(new Uint8Array([1, 2, 3]))
    await client.sync()
    expect(client.frames.slice(2).map(({ event }) => event)).toEqual(['Pong'])
    expect(client.received('Pong')).toEqual([{ serverTime: '2026-03-01T12:00:00.000Z' }])
  })

  test('a frame over 16 KiB ends the connection', async () => {
    const client = await server.connect('guest guest-1')
    client.socket.send(JSON.stringify({ type: 'ping', filler: 'x'.repeat(16_384) }))
    await client.closed
    expect(server.hub.connectionCount()).toBe(0)
  })
})

describe('the end of a session', () => {
  test('disconnects exactly its sockets', async () => {
    const first = await server.connect('guest guest-1')
    const second = await server.connect('guest guest-1')
    const other = await server.connect('guest guest-2')
    server.hub.disconnect('guest-1', 'signedOut')
    expect(await first.closed).toEqual({ code: 4001, reason: 'signedOut: Signed out' })
    expect((await second.closed).code).toBe(4001)
    await other.sync()
    expect(server.hub.connectionCount()).toBe(1)
  })

  test('an expired guest gets no further event', async () => {
    server.addSession('short', new Date(server.time.now().getTime() + 10_000))
    const guest = await server.connect('guest short')
    await server.time.advance(10_000)
    server.hub.publish('EventDeleted', 5)
    expect((await guest.closed).code).toBe(4001)
    expect(guest.received('EventDeleted')).toEqual([])
  })

  test('a prolonged session stays; a silent connection is closed by the timer', async () => {
    server.addSession('short', new Date(server.time.now().getTime() + 10_000))
    const guest = await server.connect('guest short')
    const later = server.time.now().getTime() + 40_000
    server.state.sqlite.run(`UPDATE session SET expires_at = ${later} WHERE id = 'short'`)
    await server.time.advance(10_000)
    server.hub.publish('EventDeleted', 5)
    await guest.sync()
    expect(guest.received('EventDeleted')).toEqual([5])
    await server.time.advance(35_000)
    expect((await guest.closed).code).toBe(4001)
  })

  test('a revoked session is noticed by the timer', async () => {
    const guest = await server.connect('guest guest-1')
    server.state.sqlite.run(`UPDATE session SET revoked_at = 1 WHERE id = 'guest-1'`)
    await server.time.advance(15_000)
    expect((await guest.closed).code).toBe(4001)
  })
})
