import { beforeEach, describe, expect, test } from 'bun:test'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { daemonStandIn, type DaemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { manualJob } from '../../../test/support/manual-job.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { signInAs, signInGuest, signInOwner, type Browser } from '../../../test/support/sign-in.ts'
import { platformFacts, type Platform } from '../../platforms/platforms.ts'
import type { DaemonSession, PrefillResult } from './model.ts'

interface SignedIn {
  sessionId: string
}

let platform: Platform
let app: TestApp
let daemon: DaemonStandIn
let owner: Browser
let hub: Awaited<ReturnType<typeof hubClient>>
let time: ManualTime

/** A service with a daemon that behaves like the published image of the platform. */
async function open(of: Platform): Promise<void> {
  platform = of
  time = new ManualTime()
  daemon = await daemonStandIn(platform)
  app = await testApp({ clock: time, timers: time, environment: daemon.environment })
  owner = await signInOwner(app)
  hub = await hubClient(app.listen(), owner, platform)
}
/** An event as the platform names it. */
const named = (event: string) => `${platformFacts[platform].eventPrefix}${event}`

const create = () => hub.call<DaemonSession>('CreateSessionAsync')
const prefill = async (id: string, body: object = { all: true }) => {
  const answer = await owner.post(`/api/${platform}-daemon/sessions/${id}/prefill`, body)
  return { status: answer.status, body: (await answer.json()) as PrefillResult }
}
const states = () =>
  hub.received<{ state: string }>(named('PrefillStateChanged')).map(({ state }) => state)
const history = async (id: string) => {
  const answer = await owner.get(`/api/prefill-admin/sessions/${id}/history`)
  const rows = (await answer.json()) as Record<string, unknown>[]
  return rows.map(({ appId, status, bytesDownloaded }) => [appId, status, bytesDownloaded])
}

describe('a session', () => {
  beforeEach(() => open('alpha'))

  test('is created once for a user and a platform', async () => {
    const first = await create()
    expect(first).toMatchObject({
      status: 'Active',
      authState: 'NotAuthenticated',
      isPrefilling: false,
      isPersistent: false,
      isTemporary: false,
      isShared: true,
      platform: 'Alpha',
      timeRemainingSeconds: 7200,
    })
    expect(first.id).toMatch(/^[0-9a-f]{16}$/)
    expect((await create()).id).toBe(first.id)
    expect(hub.events().filter((event) => event === 'DaemonSessionCreated')).toHaveLength(1)
  })

  test('prefills: the call ends with the run, and the history has every game', async () => {
    const { id } = await create()
    await hub.call('SubscribeToSessionAsync', id)
    const ended = prefill(id, { all: true })
    await eventually(() => daemon.commands('prefill').length === 1, 'the command arrives')
    expect(daemon.commands('prefill')[0]?.parameters).toEqual({
      all: 'true',
      os: 'windows,linux,macos',
    })
    const app440 = { currentAppId: 440, currentAppName: 'TF2', totalBytes: 100 }
    daemon.progress({ state: 'downloading', ...app440, bytesDownloaded: 50, totalApps: 2 })
    daemon.progress({ state: 'app_completed', ...app440, bytesDownloaded: 100, result: 'Success' })
    daemon.progress({
      state: 'already_cached',
      currentAppId: 730,
      currentAppName: 'CS',
      result: 'AlreadyUpToDate',
      depots: [{ depotId: 731, manifestId: '18446744073709551615', totalBytes: 0 }],
    })
    daemon.progress({ state: 'completed', totalApps: 2, totalBytesTransferred: 100 })
    daemon.progress({ state: 'completed', totalApps: 2, totalBytesTransferred: 100 })
    expect(await ended).toMatchObject({ status: 200, body: { success: true, errorMessage: null } })
    await hub.live.sync()
    expect(states()).toEqual(['started', 'completed'])
    expect(await history(id)).toEqual([
      ['730', 'Cached', 0],
      ['440', 'Completed', 100],
    ])
    const cached = await (await owner.get('/api/prefill-admin/cache')).json()
    expect(cached).toMatchObject([{ appId: '730', depotCount: 1, totalBytes: null }])
    const shown = hub.received<{ progress: { state: string } }>('PrefillProgress')
    expect(shown.map(({ progress }) => progress.state)).toEqual([
      'downloading',
      'app_completed',
      'already_cached',
      'completed',
    ])
  })

  test.each([
    ['bytes of lists', (step: number) => ({ totalBytesTransferred: step })],
    ['steps', (step: number) => ({ message: `Reading manifest ${step}` })],
  ])('that prepares a game for long does not stall: %s', async (_, change) => {
    const ended = prefill((await create()).id)
    await eventually(() => daemon.commands('prefill').length === 1, 'the command arrives')
    for (let step = 1; step <= 25; step++) {
      daemon.progress({ state: 'preparing', currentAppId: 440, ...change(step) })
      await hub.live.sync()
      await time.advance(10_000)
    }
    daemon.progress({ state: 'completed' })
    expect((await ended).body).toMatchObject({ success: true })
  })

  test('shows no name beside the id of another game', async () => {
    const { id } = await create()
    void prefill(id)
    await eventually(() => daemon.commands('prefill').length === 1, 'the command arrives')
    const current = async () => {
      await hub.live.sync()
      const [{ currentAppId, currentAppName } = {} as DaemonSession] =
        await hub.call<DaemonSession[]>('GetMySessions')
      return [currentAppId, currentAppName]
    }
    daemon.progress({ state: 'preparing', currentAppId: 440, currentAppName: 'TF2' })
    daemon.progress({ state: 'downloading', currentAppId: 440 })
    await eventually(async () => (await current())[0] === '440', 'the first game')
    expect(await current()).toEqual(['440', 'TF2'])
    daemon.progress({ state: 'app_completed', currentAppId: 730, result: 'Failed' })
    await eventually(async () => (await current())[0] === '730', 'the second game')
    expect(await current()).toEqual(['730', null])
  })

  test('names a game that fails before its daemon has, as its library does', async () => {
    const { id } = await create()
    daemon.loggedIn('anna')
    await owner.get(`/api/alpha-daemon/sessions/${id}/games`)
    const ended = prefill(id)
    await eventually(() => daemon.commands('prefill').length === 1, 'the command arrives')
    const failed = { state: 'app_completed', currentAppId: 440, result: 'Failed' }
    daemon.progress({ ...failed, errorMessage: 'no space' })
    daemon.progress({ state: 'completed', failedApps: 1, updatedApps: 1 })
    await ended
    const rows = await (await owner.get(`/api/prefill-admin/sessions/${id}/history`)).json()
    const name = 'Team Fortress 2'
    expect(rows).toMatchObject([{ appName: name, status: 'Failed', errorMessage: 'no space' }])
  })

  test('that waits for its cache says since when, and does not stall', async () => {
    const { id } = await create()
    await hub.call('SubscribeToSessionAsync', id)
    const ended = prefill(id)
    await eventually(() => daemon.commands('prefill').length === 1, 'the command arrives')
    const waitingSince = 1_772_366_400
    for (let minutes = 1; minutes <= 8; minutes++) {
      daemon.progress({ state: 'waiting-for-cache', currentAppId: 440, waitingSince })
      await hub.until('PrefillProgress', minutes)
      await time.advance(60_000)
    }
    const [shown] = hub.received<{ progress: object }>('PrefillProgress')
    expect(shown?.progress).toMatchObject({ state: 'waiting-for-cache', waitingSince })
    const current = await hub.call('GetCurrentPrefillProgress', id)
    expect(current).toMatchObject({ waitingSince })
    daemon.progress({ state: 'completed' })
    expect((await ended).body).toMatchObject({ success: true })
  })

  test('ends after its user signed out, as soon as it has no run', async () => {
    const { id } = await create()
    const ended = prefill(id)
    await eventually(() => daemon.commands('prefill').length === 1, 'the command arrives')
    await owner.post('/api/auth/logout')
    await time.advance(10_000)
    daemon.progress({ state: 'completed' })
    expect((await ended).body.success).toBe(true)
    await time.advance(10_000)
    const again = await signInOwner(app)
    const { sessions } = (await (await again.get('/api/prefill-admin/sessions')).json()) as {
      sessions: object[]
    }
    expect(sessions).toMatchObject([
      {
        sessionId: id,
        status: 'Terminated',
        terminationReason: 'Signed out of Larder',
        user: 'owner',
      },
    ])
  })

  test('guests see which apps are prefilled, but not whose accounts did it', async () => {
    const { id } = await create()
    daemon.loggedIn('anna')
    const ended = prefill(id)
    await eventually(() => daemon.commands('prefill').length === 1, 'the command arrives')
    const depots = [{ depotId: 441, manifestId: '1' }]
    daemon.progress({ state: 'app_completed', currentAppId: 440, result: 'Success', depots })
    daemon.progress({ state: 'completed' })
    await ended
    const guest = await signInGuest(app)
    const { sessionId } = (await (await guest.get('/api/auth/status')).json()) as SignedIn
    await owner.post(`/api/auth/guest/prefill/toggle/${sessionId}?service=alpha`, { enabled: true })
    const cached = async (browser: Browser) =>
      (await (await browser.get('/api/prefill-admin/cache')).json()) as object[]
    expect(await cached(owner)).toMatchObject([{ appId: '440', cachedBy: 'anna' }])
    expect(await cached(guest)).toMatchObject([{ appId: '440', cachedBy: null }])
  })

  test('a second prefill is refused while one runs', async () => {
    const { id } = await create()
    const first = prefill(id)
    await eventually(() => daemon.commands('prefill').length === 1, 'the command arrives')
    expect((await prefill(id)).status).toBe(409)
    daemon.progress({ state: 'error', errorMessage: 'No space' })
    expect((await first).body).toMatchObject({ success: false, errorMessage: 'No space' })
    await hub.live.sync()
    expect(states()).toEqual(['started', 'failed'])
  })

  test('of two that waited for their daemon, the second one is told that it is taken', async () => {
    const clearing = manualJob({ type: 'cacheClearing' })
    app.operations.submit(clearing.request)
    const user = await signInAs(app, 'user')
    const others = await hubClient(hub.host, user, platform)
    const ofUser = await others.call<DaemonSession>('CreateSessionAsync')
    const first = prefill((await create()).id)
    const second = user.post(`/api/alpha-daemon/sessions/${ofUser.id}/prefill`, { all: true })
    const areQueued = () => app.operations.waiting().length === 2
    await eventually(areQueued, 'both wait')
    clearing.end({ kind: 'completed' })
    const errorMessage = 'Another session is prefilling with the same daemon'
    expect(await (await second).json()).toMatchObject({ success: false, errorMessage })
    daemon.progress({ state: 'completed' })
    expect((await first).body).toMatchObject({ success: true })
  })

  test('a prefill that is not waited for is answered with its operation', async () => {
    const { id } = await create()
    const path = `/api/${platform}-daemon/sessions/${id}/prefill`
    const headers = { Prefer: 'respond-async' }
    const answer = await owner.send('POST', path, { body: { all: true }, headers })
    expect(answer.status).toBe(202)
    const { operationId } = (await answer.json()) as { operationId: string }
    await eventually(() => daemon.commands('prefill').length === 1, 'the command arrives')
    await owner.post(`/api/operations/${operationId}/cancel`)
    await eventually(() => daemon.commands('cancel-prefill').length === 1, 'the cancel arrives')
    daemon.progress({ state: 'cancelled' })
    await hub.until('PrefillStateChanged', 2)
    expect(states()).toEqual(['started', 'cancelled'])
  })
})

/** Alpha’s image answers commands side by side, beta’s one at a time. */
describe.each<Platform>(['alpha', 'beta'])('what ends a run of %s', (of) => {
  beforeEach(() => open(of))

  const running = async () => {
    const session = await create()
    const ended = prefill(session.id)
    await eventually(() => daemon.commands('prefill').length === 1, 'the command arrives')
    daemon.progress({ state: 'downloading', currentAppId: 440, bytesDownloaded: 5, totalBytes: 9 })
    await eventually(async () => (await history(session.id)).length === 1, 'the game is noted')
    return { id: session.id, ended }
  }
  const expectError = async (id: string, errorMessage: string) => {
    const mine = await hub.call<DaemonSession[]>('GetMySessions')
    expect(mine.find((one) => one.id === id)).toMatchObject({
      status: 'Error',
      errorMessage,
      isPrefilling: false,
      lastPrefillStatus: 'failed',
    })
    expect(states()).toEqual(['started', 'failed'])
    expect(await history(id)).toEqual([['440', 'Failed', 5]])
  }

  test('a cancelled run ends without the word of the daemon; its late end is dropped', async () => {
    const { id } = await create()
    const ended = prefill(id)
    await eventually(() => daemon.commands('prefill').length === 1, 'the command arrives')
    daemon.progress({ state: 'downloading', currentAppId: 440, bytesDownloaded: 5, totalBytes: 9 })
    await hub.live.sync()
    const cancelled = hub.call('CancelPrefillAsync', id)
    await eventually(() => daemon.commands('cancel-prefill').length === 1, 'the cancel arrives')
    await time.advance(10_000)
    await cancelled
    expect((await ended).body).toMatchObject({ success: false, errorMessage: 'Prefill cancelled' })
    expect(await history(id)).toEqual([['440', 'Cancelled', 5]])
    daemon.progress({ state: 'cancelled' })
    const next = prefill(id)
    await eventually(() => daemon.commands('prefill').length === 2, 'the next command arrives')
    daemon.progress({ state: 'completed' })
    expect((await next).body.success).toBe(true)
    await hub.live.sync()
    expect(states()).toEqual(['started', 'cancelled', 'started', 'completed'])
  })

  test('a stall: cancelled at the daemon, failed here', async () => {
    const { id, ended } = await running()
    const errorMessage = 'Prefill stalled: no bytes transferred for 180 seconds.'
    for (let checks = 0; checks < 19; checks++) await time.advance(10_000)
    expect((await ended).body).toMatchObject({ success: false, errorMessage })
    await eventually(() => daemon.commands('cancel-prefill').length === 1, 'the cancel arrives')
    await eventually(() => states().length === 2, 'the end is published')
    await eventually(
      async () => (await hub.call<DaemonSession[]>('GetMySessions'))[0]?.status === 'Error',
      'the session fails',
    )
    await expectError(id, errorMessage)
  })

  test('a lost connection', async () => {
    const { id, ended } = await running()
    daemon.drop()
    const errorMessage = 'Socket connection lost unexpectedly'
    expect((await ended).body).toMatchObject({ success: false, errorMessage })
    await hub.live.sync()
    await expectError(id, errorMessage)
    const again = await create()
    expect(again).toMatchObject({ status: 'Active' })
    expect(again.id).not.toBe(id)
  })

  test('a frame that cannot be read', async () => {
    const { id, ended } = await running()
    daemon.garble(new Uint8Array([255, 255, 255, 127]))
    const errorMessage = 'The daemon sent a frame that cannot be read'
    expect((await ended).body).toMatchObject({ success: false, errorMessage })
    await hub.live.sync()
    await expectError(id, errorMessage)
  })

  test('a ban: the run is cancelled first, then the session ends', async () => {
    const { id, ended } = await running()
    for (const expiresAt of ['2020-01-01T00:00:00Z', '2030-02-31', '5']) {
      const over = { reason: 'too late', expiresAt }
      expect((await owner.post(`/api/prefill-admin/bans/by-session/${id}`, over)).status).toBe(400)
    }
    const banned = owner.post(`/api/prefill-admin/bans/by-session/${id}`, { reason: 'too much' })
    await eventually(() => daemon.commands('cancel-prefill').length === 1, 'the cancel arrives')
    expect((await banned).status).toBe(200)
    expect((await ended).body.success).toBe(false)
    await hub.until(named('DaemonSessionTerminated'))
    expect(hub.received(named('DaemonSessionTerminated'))).toEqual([
      { sessionId: id, reason: 'Banned by admin' },
    ])
    expect(states()).toEqual(['started', 'cancelled'])
    expect(await history(id)).toEqual([['440', 'Cancelled', 5]])
    expect(create()).rejects.toThrow('You are banned from using the prefill feature.')
  })

  test('the end of the session', async () => {
    const { id, ended } = await running()
    await hub.call('SubscribeToSessionAsync', id)
    const over = hub.call('EndSessionAsync', id)
    expect((await ended).body.success).toBe(false)
    await over
    expect(hub.events().slice(-2)).toEqual(['DaemonSessionTerminated', 'SessionEnded'].map(named))
    expect(states()).toEqual(['started', 'cancelled'])
  })

  test('a wrong secret is said as such, without the secret', async () => {
    daemon.state.secret = 'another'
    expect(create()).rejects.toThrow('The daemon refused the configured secret')
    await eventually(() => daemon.connections() === 0, 'the connection ends')
    expect(app.logLines.join('')).not.toContain('B7B7')
  })
})
