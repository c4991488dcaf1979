import { beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { daemonStandIn, type DaemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { signInAs, signInGuest, signInOwner, sessionIdOf } from '../../../test/support/sign-in.ts'
import { closeCodes, frameBurst } from '../../core/live/limits.ts'
import type { CredentialChallenge, DaemonSession } from '../sessions/model.ts'

let app: TestApp
let daemon: DaemonStandIn
let host: string
let time: ManualTime

beforeEach(async () => {
  time = new ManualTime()
  daemon = await daemonStandIn('beta')
  app = await testApp({ clock: time, timers: time, environment: daemon.environment })
  host = app.listen()
})

/** A guest who may prefill for an hour. */
async function guestWithGrant(hours = 1) {
  const owner = await signInOwner(app)
  const guest = await signInGuest(app)
  const config = { enabledByDefault: false, durationHours: hours, maxThreadCount: 4 }
  await owner.post('/api/auth/guest/beta-prefill/config', config)
  const id = await sessionIdOf(guest)
  await owner.post(`/api/auth/guest/prefill/toggle/${id}?service=beta`, { enabled: true })
  return { owner, guest, id }
}

const create = (hub: Awaited<ReturnType<typeof hubClient>>) =>
  hub.call<DaemonSession>('CreateSessionAsync')

describe('who hears what', () => {
  test('the owner’s sessions and challenges reach only the owner', async () => {
    const owner = await hubClient(host, await signInOwner(app), 'beta')
    const admin = await signInAs(app, 'admin')
    const [other, downloads] = [
      await hubClient(host, admin, 'beta'),
      await hubClient(host, admin, null),
    ]
    const { id } = await create(owner)
    const started = owner.call<CredentialChallenge>('StartLoginAsync', id)
    await eventually(() => daemon.commands('login').length === 1, 'the login arrives')
    const challengeId = daemon.challenge('authorization-url', { authUrl: 'https://epic.example' })
    expect(await started).toMatchObject({ challengeId, authUrl: 'https://epic.example' })
    await owner.until('BetaCredentialChallenge')
    expect(owner.received('BetaCredentialChallenge')).toHaveLength(1)
    await other.live.sync()
    await downloads.live.sync()
    expect(other.events().filter((event) => event !== 'Pong')).toEqual([])
    expect(downloads.events().filter((event) => event.startsWith('Beta'))).toEqual([])
    const listed = await (await admin.get('/api/prefill-admin/sessions')).json()
    expect(listed).toMatchObject({ sessions: [], totalCount: 0 })
    expect((await admin.get(`/api/prefill-admin/sessions/${id}/history`)).status).toBe(404)
    expect(other.call('SubscribeToSessionAsync', id)).rejects.toThrow('Access denied')
  })

  test('sessions of users are seen by all accounts; challenges are not', async () => {
    const user = await hubClient(host, await signInAs(app, 'user'), 'beta')
    const owner = await hubClient(host, await signInOwner(app), 'beta')
    const { id } = await create(user)
    void user.call('StartLoginAsync', id)
    await eventually(() => daemon.commands('login').length === 1, 'the login arrives')
    daemon.challenge('authorization-url')
    await user.until('BetaCredentialChallenge')
    await owner.live.sync()
    const events = owner.events()
    expect(events).toContain('BetaDaemonSessionCreated')
    expect(events).toContain('BetaAuthStateChanged')
    expect(events).not.toContain('BetaCredentialChallenge')
  })

  test('three connections follow a session; a fourth replaces the oldest', async () => {
    const browser = await signInOwner(app)
    const pages = await Promise.all([1, 2, 3, 4].map(() => hubClient(host, browser, 'beta')))
    const [first] = pages
    if (first === undefined) throw new Error('no page')
    const { id } = await create(first)
    for (const page of pages) await page.call('SubscribeToSessionAsync', id)
    await first.call('EndSessionAsync', id)
    await Promise.all(pages.map((page) => page.live.sync()))
    expect(pages.map((page) => page.received('BetaSessionEnded').length)).toEqual([0, 1, 1, 1])
  })
})

describe('a call', () => {
  test.each<[string, unknown[], string]>([
    ['NoSuchMethod', [], 'Unknown method'],
    ['StartLoginAsync', [], 'Argument 1 is not valid'],
    ['StartLoginAsync', ['f'.repeat(16)], 'Session not found'],
    ['GetCurrentPrefillProgress', [5], 'Argument 1 is not valid'],
  ])('%s with %j is answered with %p', async (method, args, text) => {
    const hub = await hubClient(host, await signInOwner(app), 'beta')
    expect(hub.call(method, ...args)).rejects.toThrow(text)
    await hub.live.sync()
  })

  test('goes on to the second connection while the daemon is busy', async () => {
    const browser = await signInOwner(app)
    const hub = await hubClient(host, browser, 'beta')
    const { id } = await create(hub)
    const listing = Promise.withResolvers<undefined>()
    daemon.on('get-owned-games', () => listing.promise)
    const games = browser.get(`/api/beta-daemon/sessions/${id}/games`)
    await eventually(() => daemon.commands('get-owned-games').length === 1, 'the command arrives')
    void hub.call('StartLoginAsync', id)
    await hub.call('CancelLoginAsync', id)
    expect(daemon.commands('cancel-login')).toHaveLength(1)
    listing.resolve(undefined)
    expect((await (await games).json()) as object).toEqual([
      { appId: 440, name: 'Team Fortress 2', imageUrl: null },
      { appId: 'fn', name: 'Fortnite', imageUrl: null },
    ])
  })

  test('reads the sizes of the selection and clears the daemon’s files', async () => {
    const hub = await hubClient(host, await signInOwner(app), 'beta')
    const { id } = await create(hub)
    expect(await hub.call('GetSelectedAppsStatusAsync', id)).toMatchObject({
      apps: [{ appId: '440', downloadSize: 5, isUpToDate: false }],
    })
    expect(await hub.call('ClearCacheAsync', id)).toEqual({
      success: true,
      message: 'Cleared 1 file',
    })
    expect(await hub.call('GetLastPrefillResult', id)).toBeNull()
  })
})

describe('a guest', () => {
  test('without a grant cannot connect', async () => {
    await signInOwner(app)
    const guest = await signInGuest(app)
    const cookie = `Svc.Session=${guest.sessionToken ?? ''}`
    const socket = new WebSocket(`ws://${host}/hubs/beta-prefill-daemon`, { headers: { cookie } })
    const outcome = Promise.withResolvers<string>()
    socket.addEventListener('open', () => outcome.resolve('open'))
    socket.addEventListener('close', () => outcome.resolve('refused'))
    expect(await outcome.promise).toBe('refused')
  })

  test('prefills with the guests’ limit, only in sessions of its own', async () => {
    const { guest, owner } = await guestWithGrant()
    const hub = await hubClient(host, guest, 'beta')
    const own = await create(hub)
    expect(own).toMatchObject({ isTemporary: true, timeRemainingSeconds: 3600 })
    const foreign = await create(await hubClient(host, owner, 'beta'))
    const path = (id: string) => `/api/beta-daemon/sessions/${id}/selected-apps`
    expect((await guest.post(path(foreign.id), { appIds: [] })).status).toBe(403)
    expect((await guest.post(path(own.id), { appIds: [] })).status).toBe(200)
    const empty = await guest.post(`/api/beta-daemon/sessions/${own.id}/prefill`, {})
    expect(empty.status).toBe(409)
  })

  test('whose grant ends during a run: cancelled, then the session ends', async () => {
    const { guest } = await guestWithGrant()
    const hub = await hubClient(host, guest, 'beta')
    const owner = await hubClient(host, await signInOwner(app), 'beta')
    const { id } = await create(hub)
    const ended = guest.post(`/api/beta-daemon/sessions/${id}/prefill`, { all: true })
    await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
    for (let minutes = 0; minutes < 60; minutes++) {
      daemon.progress({ state: 'downloading', currentAppId: 'fn', bytesDownloaded: minutes })
      await owner.live.sync()
      await time.advance(60_000)
    }
    await time.advance(10_000)
    expect((await (await ended).json()) as object).toMatchObject({ success: false })
    expect(daemon.commands('cancel-prefill')).toHaveLength(1)
    await owner.until('BetaDaemonSessionTerminated')
    const states = owner.received<{ state: string }>('BetaPrefillStateChanged')
    expect(states.map(({ state }) => state)).toEqual(['started', 'cancelled'])
    expect(owner.received('BetaDaemonSessionTerminated')).toEqual([
      { sessionId: id, reason: 'Session expired' },
    ])
  })

  test('whose daemon ends with the grant is told so, not that a connection is lost', async () => {
    const { guest, owner } = await guestWithGrant()
    const watcher = await hubClient(host, owner, 'beta')
    const { id } = await create(await hubClient(host, guest, 'beta'))
    const ended = guest.post(`/api/beta-daemon/sessions/${id}/prefill`, { all: true })
    await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
    time.set(3_600_000)
    daemon.drop()
    const errorMessage = 'Session expired'
    expect((await (await ended).json()) as object).toMatchObject({ success: false, errorMessage })
    await watcher.until('BetaDaemonSessionTerminated')
    expect(watcher.received('BetaDaemonSessionTerminated')).toEqual([
      { sessionId: id, reason: 'Session expired' },
    ])
  })

  test('who keeps calling is disconnected, and its rights are read once', async () => {
    const { guest, owner } = await guestWithGrant()
    const hub = await hubClient(host, guest, 'beta')
    const other = await hubClient(host, owner, 'beta')
    await other.call('GetMySessions')
    const reads = spyOn(app.control.sessions.store, 'grants')
    for (let id = 0; id < 20_000; id++) {
      hub.live.socket.send(JSON.stringify({ id, method: 'GetMySessions', args: [] }))
    }
    expect(await hub.live.closed).toMatchObject({ code: closeCodes.tooMany })
    expect(await other.call<unknown[]>('GetMySessions')).toEqual([])
    const answers = (hub.live.frames as object[]).filter((frame) => 'id' in frame)
    expect(answers.length).toBeLessThanOrEqual(frameBurst)
    expect(reads).toHaveBeenCalledTimes(1)
    reads.mockRestore()
  })

  test('whose grant is withdrawn or replaced notices with the next call', async () => {
    const { guest, owner, id } = await guestWithGrant()
    const hub = await hubClient(host, guest, 'beta')
    expect(await hub.call<unknown[]>('GetMySessions')).toEqual([])
    const toggle = `/api/auth/guest/prefill/toggle/${id}?service=beta`
    await owner.post(toggle, { enabled: false })
    expect(hub.call('GetMySessions')).rejects.toThrow('Access denied')
    await owner.post(toggle, { enabled: true })
    expect(await hub.call<unknown[]>('GetMySessions')).toEqual([])
    app.control.sessions.revoke(id, 'revoked')
    expect(hub.call('GetMySessions')).rejects.toThrow('Access denied')
  })

  test('whose grant is withdrawn loses the session', async () => {
    const { guest, owner, id: guestId } = await guestWithGrant()
    await create(await hubClient(host, guest, 'beta'))
    const watcher = await hubClient(host, owner, 'beta')
    await owner.post(`/api/auth/guest/prefill/toggle/${guestId}?service=beta`, { enabled: false })
    await time.advance(10_000)
    await watcher.until('BetaDaemonSessionTerminated')
    expect(watcher.received('BetaDaemonSessionTerminated')).toMatchObject([
      { reason: 'Prefill permission ended' },
    ])
  })
})

test('sessions of a shared daemon prefill one at a time', async () => {
  const owner = await signInOwner(app)
  const user = await signInAs(app, 'user')
  const first = await create(await hubClient(host, owner, 'beta'))
  const second = await create(await hubClient(host, user, 'beta'))
  const path = (id: string) => `/api/beta-daemon/sessions/${id}/prefill`
  const running = owner.post(path(first.id), { all: true })
  await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
  const refused = await user.post(path(second.id), { all: true })
  expect(refused.status).toBe(409)
  expect((await refused.json()) as object).toEqual({
    error: 'Another session is prefilling with the same daemon',
  })
  daemon.progress({ state: 'completed' })
  expect((await running).status).toBe(200)
  const sessions = (await (await user.get('/api/prefill-admin/sessions/active')).json()) as object[]
  expect(sessions).toMatchObject([{ id: second.id, lastPrefillStatus: null }])
})
