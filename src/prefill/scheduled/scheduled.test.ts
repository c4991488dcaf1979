import { beforeEach, describe, expect, test } from 'bun:test'
import { testApp, type TestApp } from '../../../test/support/app.ts'
import { daemonStandIn, type DaemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { signInOwner, type Browser } from '../../../test/support/sign-in.ts'
import type { ConfigBody, RunStatus, ServicePlan } from './model.ts'

const base = '/api/system/schedules/scheduledPrefill'
const hourMs = 3_600_000

let app: TestApp
let daemon: DaemonStandIn
let owner: Browser
let live: Awaited<ReturnType<typeof hubClient>>
let time: ManualTime

beforeEach(async () => {
  time = new ManualTime()
  daemon = await daemonStandIn('gamma')
  app = await testApp({ clock: time, timers: time, environment: daemon.environment })
  app.settings.set('setup.isCompleted', true)
  app.schedules.start()
  owner = await signInOwner(app)
  live = await hubClient(app.listen(), owner, null)
})

/** Switches a platform on, with what is usual. */
const switchOn = (platform: string) =>
  owner.put(`/api/ext/prefill/schedules/${platform}`, {
    name: 'Default',
    enabled: true,
    notificationMode: 'all',
    intervalHours: 24,
    preset: 'All',
  })
const json = async <T>(answer: Promise<Response>): Promise<T> => (await (await answer).json()) as T
const config = () => json<ConfigBody>(owner.get(`${base}/config`))
const status = () => json<RunStatus>(owner.get(`${base}/run-status`))
const plans = () => json<ServicePlan[]>(owner.get(`${base}/schedule`))
const gammaPlan = async () => (await plans()).find(({ serviceId }) => serviceId === 'Gamma')

/** Only gamma, with these members. */
async function save(gamma: Partial<ConfigBody['gamma']>, rest: Partial<ConfigBody> = {}) {
  const held = await config()
  return owner.put(`${base}/config`, {
    ...held,
    delta: { ...held.delta, enabled: false },
    gamma: { ...held.gamma, ...gamma },
    ...rest,
  })
}

const startPersistent = () =>
  owner.post('/api/system/prefill/persistent/start', { service: 'gamma' })
const stages = () => {
  const steps = live.received<{ stage?: string }>('ScheduledPrefillProgress')
  return [...new Set(steps.flatMap(({ stage }) => stage ?? []))]
}
const ends = () => live.received<Record<string, unknown>>('ScheduledPrefillCompleted')
const run = () => owner.post('/api/system/schedules/scheduledPrefill/run')

describe('the configuration', () => {
  beforeEach(() => switchOn('gamma'))

  test('has the defaults of the API', async () => {
    expect(await config()).toMatchObject({
      version: 5,
      maxServiceRuntime: '12:00:00',
      stallTimeout: '00:30:00',
      persistenceMode: 'keepAcrossRestart',
      alpha: { serviceId: 'Alpha', enabled: false, operatingSystems: ['Windows'] },
      gamma: { enabled: true, preset: 'All', intervalHours: 24, topCount: null },
    })
  })

  test('sets a preset that the platform does not have to All', async () => {
    expect((await save({ preset: 'Top', topCount: 50 })).status).toBe(200)
    expect((await config()).gamma).toMatchObject({ preset: 'All', topCount: null })
  })

  const refused: [string, Partial<ConfigBody['gamma']>, Partial<ConfigBody>][] = [
    ['version', {}, { version: 4 }],
    ['maxServiceRuntime', {}, { maxServiceRuntime: '1.00:00:01' }],
    ['stallTimeout', {}, { stallTimeout: '12:00:00' }],
    ['gamma.serviceId', { serviceId: 'Delta' }, {}],
    ['gamma.intervalHours', { intervalHours: -2 }, {}],
    ['gamma.intervalHours', { intervalHours: 8761 }, {}],
    ['gamma.selectedAppIds', { selectedAppIds: ['a', 'a'] }, {}],
    ['gamma.selectedAppIds', { selectedAppIds: [' '] }, {}],
    ['gamma.maxConcurrency', { maxConcurrency: { mode: 'Fixed', value: 257 } }, {}],
    ['gamma.expression', { customSchedule: { expression: 'x', timeZoneId: 'UTC' } }, {}],
  ]

  test('is refused with the reason', async () => {
    for (const [member, gamma, rest] of refused) {
      const answer = await save(gamma, rest)
      expect([member, answer.status]).toEqual([member, 400])
      expect(await answer.text()).toStartWith(`${member}:`)
    }
  })

  test('is the only place for its times: the general endpoints refuse', async () => {
    const schedules = '/api/system/schedules/scheduledPrefill'
    expect((await owner.put(`${schedules}/notificationMode`, 'silent')).status).toBe(409)
    const customSchedule = { expression: '0 4 * * *', timeZoneId: 'UTC' }
    expect((await owner.put(`${schedules}/customSchedule`, { customSchedule })).status).toBe(400)
    expect(await json<object>(owner.get(schedules))).toMatchObject({
      supportsNotifications: false,
      notificationDisplayMode: 'full',
      intervalHours: 1 / 60,
      lastRunUtc: null,
    })
  })
})

describe('before it was chosen', () => {
  const isOn = async () => {
    const plan = await gammaPlan()
    return [plan?.enabled, plan?.nextRunUtc !== null]
  }

  test('nothing runs, whatever the documented defaults say', async () => {
    await startPersistent()
    expect((await config()).gamma.enabled).toBe(true)
    // Also after it was saved as it was read, with another limit.
    await owner.put(`${base}/config`, { ...(await config()), stallTimeout: '00:20:00' })
    await run()
    await live.until('ScheduledPrefillCompleted')
    await time.skip(25 * hourMs)
    await time.advance(60_000)
    expect(daemon.commands('prefill')).toEqual([])
    expect(ends()).toMatchObject([{ status: 'skipped' }])
    expect(await isOn()).toEqual([false, false])
  })

  test('a platform that is switched on stays on, also with the defaults', async () => {
    await switchOn('gamma')
    expect(await isOn()).toEqual([true, true])
    await owner.put(`${base}/config`, await config())
    expect(await isOn()).toEqual([true, true])
  })

  test('a configuration that differs is a choice, and stays one', async () => {
    const usual = await config()
    await save({ intervalHours: 12 })
    expect(await isOn()).toEqual([true, true])
    await owner.put(`${base}/config`, usual)
    expect(await isOn()).toEqual([true, true])
  })
})

describe('a scheduled run', () => {
  beforeEach(() => switchOn('gamma'))

  test('comes an interval after the service was enabled, and is noted at its end', async () => {
    await startPersistent()
    const next = new Date(time.now().getTime() + 24 * hourMs).toISOString()
    expect(await gammaPlan()).toMatchObject({ enabled: true, lastRunUtc: null, nextRunUtc: next })
    await save({ intervalHours: 2, selectedAppIds: ['wow'] })
    await time.skip(2 * hourMs - 120_000)
    expect(ends()).toEqual([])
    expect(daemon.commands('prefill')).toEqual([])
    await time.advance(180_000)
    await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
    expect(daemon.commands('set-selected-apps')[0]?.parameters).toEqual({ appIds: '["wow"]' })
    expect(await status()).toMatchObject({ isRunning: true, showNotification: true })
    const card = () => owner.get('/api/system/schedules/scheduledPrefill')
    expect(await json<object>(card())).toMatchObject({ isRunning: true })
    const app = { currentAppId: 'wow', currentAppName: 'WoW', totalBytes: 2048 }
    daemon.progress({ state: 'downloading', ...app, bytesDownloaded: 1024, totalApps: 1 })
    await live.live.sync()
    await time.advance(2000)
    daemon.progress({ state: 'app_completed', ...app, bytesDownloaded: 2048, result: 'Success' })
    daemon.progress({ state: 'completed', totalApps: 1, totalBytesTransferred: 2048 })
    await live.until('ScheduledPrefillCompleted')
    expect(ends()).toMatchObject([{ success: true, error: null, cancelled: false }])
    expect(stages()).toEqual(['starting', 'running', 'completed'])
    const messages = live.received<{ message: string }>('ScheduledPrefillProgress')
    expect(messages.map(({ message }) => message)).toContain('Downloading WoW (1 of 1 games)')
    expect(messages.at(-1)?.message).toBe('Prefill completed (2 KiB downloaded)')
    expect((await gammaPlan())?.lastRunUtc).not.toBeNull()
    expect(await json<object>(card())).toMatchObject({ isRunning: false })
  })

  test('without a persistent session is skipped, and the next one is an interval later', async () => {
    await save({})
    await run()
    await live.until('ScheduledPrefillCompleted')
    expect(stages()).toEqual(['skipped'])
    expect(await gammaPlan()).toMatchObject({
      lastRunUtc: null,
      nextRunUtc: new Date(time.now().getTime() + 24 * hourMs).toISOString(),
    })
  })

  test('of no schedule at all is skipped, not cancelled', async () => {
    await save({ enabled: false })
    await run()
    await live.until('ScheduledPrefillCompleted')
    expect(ends()).toMatchObject([{ success: true, status: 'skipped', cancelled: false }])
  })

  test('over the limit of its time is cancelled at the daemon', async () => {
    await startPersistent()
    await save({}, { maxServiceRuntime: '00:02:00', stallTimeout: '00:01:00' })
    const started = await json<{ operationId: string; status: string }>(run())
    expect(started.status).toBe('started')
    expect((await status()).operationId).toBe(started.operationId)
    await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
    for (let minutes = 1; minutes <= 4; minutes++) {
      daemon.progress({ state: 'downloading', currentAppId: 'wow', bytesDownloaded: minutes })
      await live.live.sync()
      await time.advance(30_000)
    }
    expect(await status()).toMatchObject({ isRunning: false })
    await live.until('ScheduledPrefillCompleted')
    expect(daemon.commands('cancel-prefill')).toHaveLength(1)
    const text = 'Exceeded maximum service runtime'
    const context = { reason: 'failed', failures: [{ schedule: null, reason: text }] }
    const error = `One or more services failed during the run: ${text}`
    expect(ends()).toMatchObject([{ success: false, error, cancelled: false, context }])
    const last = live.received<{ message: string }>('ScheduledPrefillProgress').at(-1)
    expect(last?.message).toBe('Exceeded maximum service runtime')
  })

  test('that an earlier process started has its limit of time from its start', async () => {
    await startPersistent()
    const { sessions } = app.groups.prefill
    await sessions.recovered.promise
    const session = sessions.persistentOf('gamma')
    if (session === null) throw new Error('there is no session')
    const endMs = time.elapsedMs() + 600_000
    const schedule = { id: 'gamma', name: 'Default' }
    const known = { schedule, startedMs: endMs - 12 * hourMs }
    sessions.runs.take(session, { kind: 'found', known })
    await eventually(async () => {
      await time.advance(500)
      return stages().includes('running')
    }, 'the run is taken up')
    await time.advance(endMs - time.elapsedMs() - 2000)
    expect(await status()).toMatchObject({ isRunning: true })
    await time.advance(4000)
    expect(await status()).toMatchObject({ isRunning: false })
    await live.until('ScheduledPrefillCompleted')
    expect(ends()[0]?.['error']).toContain('Exceeded maximum service runtime')
  })

  test('without progress is cancelled at the daemon', async () => {
    await startPersistent()
    await save({}, { stallTimeout: '00:02:00' })
    await run()
    await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
    await time.advance(119_000)
    expect(daemon.commands('cancel-prefill')).toHaveLength(0)
    await time.advance(2000)
    expect(await status()).toMatchObject({ isRunning: false })
    await live.until('ScheduledPrefillCompleted')
    expect(daemon.commands('cancel-prefill')).toHaveLength(1)
    const last = live.received<{ message: string }>('ScheduledPrefillProgress').at(-1)
    expect(last?.message).toBe('Prefill stalled (no progress)')
  })

  test('that is cancelled as an operation cancels the daemon, and counts as attempted', async () => {
    await startPersistent()
    await save({})
    const { operationId } = await json<{ operationId: string }>(run())
    await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
    await owner.post(`/api/operations/${operationId}/cancel`)
    await eventually(() => daemon.commands('cancel-prefill').length === 1, 'the cancel arrives')
    daemon.progress({ state: 'cancelled' })
    await live.until('ScheduledPrefillCompleted')
    expect(ends()).toMatchObject([{ success: false, cancelled: true }])
    expect(await status()).toMatchObject({ isRunning: false, operationId: null })
  })

  test('leaves a session alone that a user prefills with', async () => {
    await startPersistent()
    await save({})
    const hub = await hubClient(live.host, owner, 'gamma')
    await hub.call('CreateSessionAsync')
    await run()
    await live.until('ScheduledPrefillCompleted')
    const last = live.received<{ message: string }>('ScheduledPrefillProgress').at(-1)
    expect(last?.message).toBe('A manual prefill session is active')
    expect(daemon.commands('prefill')).toEqual([])
  })

  test.each([
    [0, 'No game could be prefilled', false],
    [1, 'Prefill completed (2 KiB downloaded); games that failed: 2', true],
  ])('whose daemon prefilled %d of its games: %s', async (updatedApps, message, success) => {
    await startPersistent()
    await save({})
    await run()
    await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
    const bytes = updatedApps * 2048
    daemon.progress({
      state: 'completed',
      updatedApps,
      failedApps: 2,
      totalBytesTransferred: bytes,
    })
    await live.until('ScheduledPrefillCompleted')
    expect(ends()).toMatchObject([{ success }])
    const last = live.received<{ message: string }>('ScheduledPrefillProgress').at(-1)
    expect(last?.message).toBe(message)
  })

  test('leaves a run alone that its daemon has already', async () => {
    await startPersistent()
    await save({})
    daemon.on('prefill', () => ({ success: true, message: 'A prefill is already in progress' }))
    await run()
    await live.until('ScheduledPrefillCompleted')
    expect(stages().at(-1)).toBe('skipped')
    expect(ends()).not.toMatchObject([{ success: false }])
  })

  test('by the calendar comes at its time', async () => {
    await startPersistent()
    await save({ customSchedule: { expression: '30 14 * * *', timeZoneId: 'UTC' } })
    expect((await gammaPlan())?.nextRunUtc).toBe('2026-03-01T14:30:00.000Z')
    await time.skip(2 * hourMs)
    expect(daemon.commands('prefill')).toEqual([])
    await time.skip(hourMs)
    await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
  })

  test('at a new time of day does not come at once because that time has passed', async () => {
    await startPersistent()
    await save({ customSchedule: { expression: '30 14 * * *', timeZoneId: 'UTC' } })
    await time.skip(2 * hourMs)
    await save({ customSchedule: { expression: '30 13 * * *', timeZoneId: 'UTC' } })
    expect((await gammaPlan())?.nextRunUtc).toBe('2026-03-02T13:30:00.000Z')
  })

  test('goes on after the clock was a month ahead for a while', async () => {
    await startPersistent()
    await save({ intervalHours: 2 })
    const monthMs = 30 * 24 * hourMs
    time.set(monthMs)
    await time.skip(2 * hourMs)
    await eventually(() => daemon.commands('prefill').length === 1, 'the run starts')
    daemon.progress({ state: 'completed' })
    await live.until('ScheduledPrefillCompleted')
    time.set(-monthMs)
    const next = new Date(time.now().getTime() + 2 * hourMs).toISOString()
    expect(await gammaPlan()).toMatchObject({ nextRunUtc: next })
  })
})
