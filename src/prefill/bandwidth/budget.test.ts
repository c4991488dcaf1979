import { beforeEach, expect, test } from 'bun:test'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { daemonStandIn, type DaemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { signInOwner, type Browser } from '../../../test/support/sign-in.ts'
import type { Platform } from '../../platforms/platforms.ts'
import type { BandwidthState } from './model.ts'

const path = '/api/ext/prefill/bandwidth'

let app: TestApp
let owner: Browser
let time: ManualTime
let gamma: DaemonStandIn
let delta: DaemonStandIn

beforeEach(async () => {
  time = new ManualTime()
  gamma = await daemonStandIn('gamma')
  delta = await daemonStandIn('delta')
  const environment = { ...gamma.environment, ...delta.environment }
  app = await testApp({ clock: time, timers: time, environment })
  owner = await signInOwner(app)
  for (const { state } of [gamma, delta]) state.isLarders = true
})

const put = async (body: object) => {
  const answer = await owner.put(path, body)
  return { status: answer.status, body: (await answer.json()) as BandwidthState }
}
const sentTo = (daemon: DaemonStandIn) =>
  daemon.commands('set-bandwidth').map(({ parameters }) => parameters)

async function run(platform: Platform, daemon: DaemonStandIn) {
  const base = '/api/system/prefill/persistent'
  await owner.post(`${base}/start`, { service: platform })
  const headers = { Prefer: 'respond-async' }
  await owner.send('POST', `${base}/prefill`, { body: { service: platform, all: true }, headers })
  await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
}

test('runs share the budget, and get the rest of one that ends', async () => {
  await run('gamma', gamma)
  expect((await put({ bytesPerSecond: 1000 })).body).toMatchObject({ runs: 1, isPaused: false })
  await eventually(() => sentTo(gamma).length === 1, 'the limit arrives')
  await run('delta', delta)
  await eventually(() => sentTo(gamma).length === 2 && sentTo(delta).length === 1, 'it is shared')
  delta.progress({ state: 'completed' })
  await eventually(() => sentTo(gamma).length === 3, 'the rest arrives')
  const limit = (bytesPerSecond: string) => ({ bytesPerSecond, paused: 'false' })
  expect(sentTo(gamma)).toEqual([limit('1000'), limit('500'), limit('1000')])
  expect(sentTo(delta)).toEqual([limit('500')])
})

test('a limit that was lifted between two sessions does not outlast it at their daemon', async () => {
  const hub = await hubClient(app.listen(), owner, 'gamma')
  const runOnce = async (count: number) => {
    const { id } = await hub.call<{ id: string }>('CreateSessionAsync')
    const ended = owner.post(`/api/gamma-daemon/sessions/${id}/prefill`, { all: true })
    await eventually(() => gamma.commands('prefill').length === count, `run ${count} starts`)
    await eventually(() => sentTo(gamma).length === count, 'its limit arrives')
    gamma.progress({ state: 'completed' })
    await ended
    await hub.call('EndSessionAsync', id)
  }
  await put({ bytesPerSecond: 1000 })
  await runOnce(1)
  await put({ bytesPerSecond: null })
  await runOnce(2)
  expect(sentTo(gamma).map(({ bytesPerSecond }) => bytesPerSecond)).toEqual(['1000', '0'])
})

test('a published image has no share, and is never sent the command', async () => {
  delta.state.isLarders = false
  await run('delta', delta)
  await run('gamma', gamma)
  await put({ bytesPerSecond: 1000 })
  await eventually(() => sentTo(gamma).at(-1)?.['bytesPerSecond'] === '1000', 'gamma has all of it')
  expect((await put({})).body.runs).toBe(1)
  expect(sentTo(delta)).toEqual([])
})

test('a daemon keeps a limit of its own until one is chosen here', async () => {
  await run('gamma', gamma)
  await time.advance(60_000)
  expect(sentTo(gamma)).toEqual([])
  await put({ bytesPerSecond: null })
  await eventually(() => sentTo(gamma).length === 1, 'that there is none is a choice, too')
})

test('windows set another limit, in the time zone of the service', async () => {
  await run('gamma', gamma)
  const night = { start: '22:00', end: '06:00', bytesPerSecond: null, isPaused: false }
  await put({ isPaused: true, windows: [night] })
  await eventually(() => sentTo(gamma).length === 1, 'the pause arrives')
  await time.advance(10 * 3_600_000 + 15_000)
  await eventually(() => sentTo(gamma).length === 2, 'the window opens')
  expect(sentTo(gamma).map(({ paused }) => paused)).toEqual(['true', 'false'])
})

test('a paused run does not stall; its silence counts from when it goes on', async () => {
  const hub = await hubClient(app.listen(), owner, 'gamma')
  const { id } = await hub.call<{ id: string }>('CreateSessionAsync')
  const headers = { Prefer: 'respond-async' }
  const body = { all: true }
  await owner.send('POST', `/api/gamma-daemon/sessions/${id}/prefill`, { body, headers })
  await eventually(() => gamma.commands('prefill').length === 1, 'the run starts')
  await put({ isPaused: true })
  await eventually(() => sentTo(gamma).length === 1, 'the pause arrives')
  await hub.live.sync()
  await time.advance(600_000)
  await put({ isPaused: false })
  await eventually(() => sentTo(gamma).length === 2, 'it goes on')
  await hub.live.sync()
  await time.advance(170_000)
  expect(gamma.commands('cancel-prefill')).toEqual([])
  await time.advance(30_000)
  await eventually(() => gamma.commands('cancel-prefill').length === 1, 'it stalls')
})

test.each([
  [{ bytesPerSecond: 0 }],
  [{ bytesPerSecond: 'fast' }],
  [{ windows: [{ start: '25:00', end: '06:00', bytesPerSecond: null, isPaused: true }] }],
])('%j is refused', async (body) => {
  expect((await put(body)).status).toBe(400)
})
