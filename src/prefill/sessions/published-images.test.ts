import { describe, expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { daemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import type { Platform } from '../platforms.ts'
import type { ResponseContent } from '../protocol/envelopes.ts'
import type { CredentialChallenge, DaemonSession, PrefillResult } from './model.ts'

/** A session with a daemon that behaves like the platform's published image. */
async function fixture(platform: Platform) {
  const time = new ManualTime()
  const daemon = await daemonStandIn(platform)
  const app = await testApp({ clock: time, timers: time, environment: daemon.environment })
  const owner = await signInOwner(app)
  const hub = await hubClient(app.listen(), owner, platform)
  const create = () => hub.call<DaemonSession>('CreateSessionAsync')
  const prefill = async (id: string, body: object = { all: true }) => {
    const answer = await owner.post(`/api/${platform}-daemon/sessions/${id}/prefill`, body)
    return (await answer.json()) as PrefillResult
  }
  return { time, daemon, app, owner, hub, create, prefill }
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
    await time.advance(60_000)
    answer.resolve({ success: true, message: 'Prefill complete' })
    return ended
  }

  test.each([true, false])('with progress: %p', async (progress) => {
    expect(await older(progress)).toMatchObject({ success: true, totalTime: '00:01:00.0000000' })
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
  const { daemon, create, prefill } = await fixture('epsilon')
  daemon.on('prefill', () => ({ success: false, error: 'not now' }))
  const { id } = await create()
  const body = { top: 50, recent: true, recentlyPurchased: true, maxConcurrency: 8, force: true }
  const answer = await prefill(id, { ...body, operatingSystems: ['Windows'] })
  expect(answer).toMatchObject({ success: false, errorMessage: 'not now' })
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
  const second = prefill(id, { all: true, operatingSystems: ['Linux'], maxConcurrency: 8 })
  await eventually(() => daemon.commands('prefill').length === 2, 'the next run starts')
  expect(daemon.commands('prefill')[1]?.parameters).toEqual({
    all: 'true',
    os: 'linux',
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
