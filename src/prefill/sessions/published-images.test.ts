import { describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { daemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { signInAs, signInOwner } from '../../../test/support/sign-in.ts'
import type { Platform } from '../../platforms/platforms.ts'
import type { ResponseContent } from '../protocol/envelopes.ts'
import type { CredentialChallenge, DaemonSession, PrefillResult } from './model.ts'

/** A session with a daemon that behaves like the platform's published image. */
async function fixture(platform: Platform) {
  const time = new ManualTime()
  const daemon = await daemonStandIn(platform)
  const app = await testApp({ clock: time, timers: time, environment: daemon.environment })
  const owner = await signInOwner(app)
  const host = app.listen()
  const hub = await hubClient(host, owner, platform)
  const create = () => hub.call<DaemonSession>('CreateSessionAsync')
  const prefill = async (id: string, body: object = { all: true }) => {
    const answer = await owner.post(`/api/${platform}-daemon/sessions/${id}/prefill`, body)
    return (await answer.json()) as PrefillResult
  }
  return { time, daemon, app, owner, host, hub, create, prefill }
}

describe('an older image answers at the end of the run', () => {
  const older = async (progress: boolean) => {
    const { time, daemon, create, prefill } = await fixture('delta')
    const answer = Promise.withResolvers<ResponseContent>()
    daemon.on('prefill', () => answer.promise)
    const { id } = await create()
    const ended = prefill(id)
    await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
    if (progress) daemon.progress({ state: 'downloading', currentAppId: 'lol', totalBytes: 5 })
    await time.advance(60_000.05)
    answer.resolve({ success: true, message: 'Prefill complete' })
    return ended
  }

  test.each([true, false])('with progress: %p', async (progress) => {
    expect(await older(progress)).toMatchObject({
      success: true,
      totalTime: '00:01:00.0000500',
      totalSeconds: 60.00005,
    })
  })

  test('and can be cancelled meanwhile over the second connection', async () => {
    const { daemon, hub, create, prefill } = await fixture('delta')
    const answer = Promise.withResolvers<ResponseContent>()
    daemon.on('prefill', () => answer.promise)
    daemon.on('cancel-prefill', () => {
      answer.resolve({ success: false, error: 'The operation was cancelled' })
      return undefined
    })
    const { id } = await create()
    const ended = prefill(id)
    await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
    void hub.call('CancelPrefillAsync', id)
    expect(await ended).toMatchObject({ success: false, errorMessage: 'Prefill cancelled' })
  })
})

test('the forms of parameters follow the platform', async () => {
  const { daemon, hub, create, prefill } = await fixture('epsilon')
  daemon.on('prefill', () => ({ success: false, error: 'not now' }))
  const { id } = await create()
  const body = { top: 50, recent: true, recentlyPurchased: true, maxConcurrency: 8, force: true }
  const answer = await prefill(id, { ...body, operatingSystems: ['Windows'] })
  expect(answer).toMatchObject({ success: false, errorMessage: 'not now' })
  const ended = { state: 'failed', errorMessage: 'not now' }
  await hub.until('EpsilonPrefillStateChanged', 2)
  expect(hub.received<object>('EpsilonPrefillStateChanged').at(-1)).toMatchObject(ended)
  expect(await hub.call('GetLastPrefillResult', id)).toMatchObject({ errorMessage: 'not now' })
  expect(daemon.commands('prefill')[0]?.parameters).toEqual({
    top: 'true',
    recent: 'true',
    force: 'true',
  })
})

test('alpha is told what it prefilled before, with all digits of its manifests', async () => {
  const { daemon, create, prefill, owner } = await fixture('alpha')
  const { id } = await create()
  const status = (appIds: string[]) =>
    owner.post(`/api/alpha-daemon/sessions/${id}/cache-status`, { appIds })
  expect(await (await status(['440'])).json()).toMatchObject({
    upToDateAppIds: [],
    message: 'No cached depots found',
  })
  const first = prefill(id)
  await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
  const depots = [{ depotId: 441, manifestId: '18446744073709551615' }]
  daemon.progress({ state: 'app_completed', currentAppId: 440, result: 'Success', depots })
  daemon.progress({ state: 'completed' })
  await first
  expect(await (await status(['440', 'x'])).json()).toMatchObject({ upToDateAppIds: ['440'] })
  const second = prefill(id, { all: true, operatingSystems: ['Linux', 'Haiku'], maxConcurrency: 8 })
  await eventually(() => daemon.commands('prefill').length === 2, 'the next run starts')
  expect(daemon.commands('prefill')[1]?.parameters).toEqual({
    all: 'true',
    // All systems are downloaded without a name, so an unknown one must not count as none.
    os: 'linux,haiku',
    maxConcurrency: '8',
    cachedDepots: '[{"appId":440,"depotId":441,"manifestId":18446744073709551615}]',
  })
  daemon.progress({ state: 'completed' })
  await second
})

test('a device code needs no credential; the name of the account comes with the end', async () => {
  const { daemon, hub, create } = await fixture('epsilon')
  const { id } = await create()
  const started = hub.call<CredentialChallenge>('StartLoginAsync', id)
  await eventually(() => daemon.commands('login').length === 1, 'the login arrives')
  daemon.challenge('device-code', { userCode: 'ABC', authUrl: 'https://microsoft.com/link' })
  expect(await started).toMatchObject({
    userCode: 'ABC',
    verificationUri: 'https://microsoft.com/link',
  })
  daemon.loggedIn('Cortana')
  await hub.until('EpsilonAuthStateChanged', 2)
  const [mine] = await hub.call<DaemonSession[]>('GetMySessions')
  expect(mine).toMatchObject({ authState: 'Authenticated', accountUsername: 'Cortana', id })
})

/** A session whose login waits for a user name. */
async function waitingLogin() {
  const { daemon, hub, create } = await fixture('alpha')
  const cancelled = { success: true, message: 'Login cancelled' }
  // The image reports the end of a cancelled login later than it answers.
  daemon.on('cancel-login', () => cancelled)
  const login = async (id: string, count: number) => {
    const asked = hub.call<CredentialChallenge | null>('StartLoginAsync', id)
    await eventually(() => daemon.commands('login').length === count, `login ${count}`)
    return { asked }
  }
  const { id } = await create()
  const { asked } = await login(id, 1)
  daemon.challenge('username')
  await asked
  const ended = () => {
    const message = 'Login cancelled - ready for new attempt'
    daemon.event('auth-state', { state: 'awaiting-login', message })
  }
  return { daemon, hub, create, id, login, ended }
}

test('the late end of a cancelled login does not end the next one', async () => {
  const { daemon, hub, id, login, ended } = await waitingLogin()
  await hub.call('CancelLoginAsync', id)
  const { asked } = await login(id, 2)
  ended()
  const challengeId = daemon.challenge('username')
  expect(await asked).toMatchObject({ challengeId })
  ended()
  await hub.until('AuthStateChanged', 6)
  expect(await hub.call<DaemonSession[]>('GetMySessions')).toMatchObject([
    { authState: 'NotAuthenticated' },
  ])
})

test('a session that ends cancels its login at a shared daemon', async () => {
  const { daemon, hub, id } = await waitingLogin()
  await hub.call('EndSessionAsync', id)
  expect(daemon.commands('cancel-login')).toHaveLength(1)
})

test('a login that was left behind at a shared daemon is replaced', async () => {
  const { daemon, hub, create } = await fixture('alpha')
  let isBusy = true
  daemon.on('login', () =>
    isBusy ? { success: true, message: 'Login already in progress' } : undefined,
  )
  daemon.on('cancel-login', () => {
    isBusy = false
    return undefined
  })
  const { id } = await create()
  const asked = hub.call<CredentialChallenge>('StartLoginAsync', id)
  await eventually(() => daemon.commands('login').length === 2, 'the second try')
  const challengeId = daemon.challenge('username')
  expect(await asked).toMatchObject({ challengeId })
})

test('a login of another session at a shared daemon is left alone', async () => {
  const { daemon, app, create, hub, host } = await fixture('alpha')
  const { id } = await create()
  const first = hub.call('StartLoginAsync', id)
  await eventually(() => daemon.commands('login').length === 1, 'the login arrives')
  daemon.challenge('username')
  await first
  daemon.on('login', () => ({ success: true, message: 'Login already in progress' }))
  const other = await hubClient(host, await signInAs(app, 'user'), 'alpha')
  const own = await other.call<DaemonSession>('CreateSessionAsync')
  expect(other.call('StartLoginAsync', own.id)).rejects.toThrow('already in progress')
  await eventually(() => daemon.commands('login').length === 2, 'the second login arrives')
  await other.live.sync()
  expect(daemon.commands('cancel-login')).toEqual([])
})

test('an account that is banned ends the session after its sign-in', async () => {
  const { daemon, hub, owner, create } = await fixture('beta')
  await owner.post('/api/prefill-admin/bans', { username: 'ninja' })
  const { id } = await create()
  void hub.call('StartLoginAsync', id).catch(() => {})
  await eventually(() => daemon.commands('login').length === 1, 'the login arrives')
  daemon.loggedIn('Ninja')
  await hub.until('BetaDaemonSessionTerminated')
  expect(hub.received('BetaDaemonSessionTerminated')).toEqual([
    { sessionId: id, reason: 'Banned by admin' },
  ])
})

test('a run of someone else at a shared daemon is not counted', async () => {
  const { daemon, hub, create, prefill } = await fixture('gamma')
  const { id } = await create()
  daemon.progress({ state: 'downloading', currentAppId: 'wow', bytesDownloaded: 5 })
  daemon.progress({ state: 'completed', totalBytesTransferred: 5 })
  await hub.live.sync()
  const [mine] = await hub.call<DaemonSession[]>('GetMySessions')
  expect(mine).toMatchObject({ isPrefilling: false, totalBytesTransferred: 0, id })
  daemon.on('prefill', () => ({ success: true, message: 'A prefill is already in progress' }))
  expect(await prefill(id)).toEqual({
    error: 'A prefill is already in progress',
  } as unknown as PrefillResult)
})
