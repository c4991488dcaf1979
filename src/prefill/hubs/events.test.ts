import { beforeEach, expect, test } from 'bun:test'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { daemonStandIn, type DaemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventFaults } from '../../../test/support/event-faults.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { signInOwner, type Browser } from '../../../test/support/sign-in.ts'
import type { DaemonSession } from '../sessions/model.ts'

type Page = Awaited<ReturnType<typeof hubClient>>

let app: TestApp
let daemon: DaemonStandIn
let owner: Browser
let hub: Page
let live: Page

beforeEach(async () => {
  daemon = await daemonStandIn('alpha')
  app = await testApp({ environment: daemon.environment })
  const host = app.listen()
  owner = await signInOwner(app)
  hub = await hubClient(host, owner, 'alpha')
  live = await hubClient(host, owner, null)
})

/** A session that this page follows. */
async function followed(): Promise<string> {
  const { id } = await hub.call<DaemonSession>('CreateSessionAsync')
  await hub.call('SubscribeToSessionAsync', id)
  return id
}

/** Signs in, fills one game and ends the session. */
async function wholeSession(): Promise<void> {
  const id = await followed()
  void hub.call('StartLoginAsync', id)
  await eventually(() => daemon.commands('login').length === 1, 'the login arrives')
  daemon.challenge('username')
  await hub.until('CredentialChallenge')
  daemon.loggedIn('anna')
  await hub.until('StatusChanged')
  const run = owner.post(`/api/alpha-daemon/sessions/${id}/prefill`, { all: true })
  await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
  const game = { currentAppId: 440, currentAppName: 'TF2', totalBytes: 9 }
  daemon.progress({ state: 'downloading', ...game, bytesDownloaded: 4 })
  const depots = [{ depotId: 441, manifestId: '18446744073709551615', totalBytes: 0 }]
  const done = { state: 'app_completed', result: 'Success', depots }
  daemon.progress({ ...done, ...game, bytesDownloaded: 9 })
  daemon.progress({ state: 'completed', totalApps: 1, updatedApps: 1, totalBytesTransferred: 9 })
  await run
  await hub.call('EndSessionAsync', id)
  await Promise.all([hub.live.sync(), live.live.sync()])
}

test('all events of a session have their documented payloads', async () => {
  await wholeSession()
  const frames = [...hub.live.frames, ...live.live.frames].filter(
    ({ event }) => event !== undefined,
  )
  expect(frames.map(({ event }) => event)).toEqual(
    expect.arrayContaining([
      'DaemonSessionCreated',
      'DaemonSessionUpdated',
      'DaemonSessionTerminated',
      'SessionSubscribed',
      'AuthStateChanged',
      'CredentialChallenge',
      'StatusChanged',
      'PrefillStateChanged',
      'PrefillProgress',
      'PrefillHistoryUpdated',
      'SessionEnded',
    ]),
  )
  for (const frame of frames) expect([frame.event, eventFaults(frame)]).toEqual([frame.event, []])
})

test('a refused sign-in tells its page why', async () => {
  const id = await followed()
  const started = hub.call('StartLoginAsync', id).catch(String)
  await eventually(() => daemon.commands('login').length === 1, 'the login arrives')
  daemon.event('auth-state', { state: 'awaiting-login', message: 'Login failed: wrong password' })
  await hub.until('StatusChanged')
  expect(hub.received('StatusChanged')).toMatchObject([
    {
      sessionId: id,
      status: { status: 'awaiting-login', message: 'Login failed: wrong password' },
    },
  ])
  expect(await started).toContain('wrong password')
})

test('all events of a scheduled run have their documented payloads', async () => {
  await owner.post('/api/system/prefill/persistent/start', { service: 'alpha' })
  daemon.loggedIn('anna')
  const path = '/api/system/schedules/scheduledPrefill'
  const held = (await (await owner.get(`${path}/config`)).json()) as Record<string, object>
  await owner.put(`${path}/config`, { ...held, alpha: { ...held['alpha'], enabled: true } })
  await owner.post(`${path}/run`)
  await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
  daemon.progress({ state: 'completed', totalApps: 0 })
  await live.until('ScheduledPrefillCompleted')
  const frames = live.live.frames.filter(({ event }) => event?.startsWith('Scheduled'))
  expect(frames.map(({ event }) => event)).toContain('ScheduledPrefillProgress')
  for (const frame of frames) expect([frame.event, eventFaults(frame)]).toEqual([frame.event, []])
})
