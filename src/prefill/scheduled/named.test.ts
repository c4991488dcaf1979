import { expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { daemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventFaults } from '../../../test/support/event-faults.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { practiceGame, practiceOrigin } from '../../../test/support/practice-origin.ts'
import { signInAs, signInOwner } from '../../../test/support/sign-in.ts'
import type { HistoryEntry, SessionPage } from '../administration/model.ts'
import type { ConfigBody, RunStatus, ServicePlan } from './model.ts'
import { schedulesMax, type NamedSchedule, type ScheduleEstimate } from './named-model.ts'

const path = '/api/ext/prefill/schedules'
const general = '/api/system/schedules/scheduledPrefill'
const hourMs = 3_600_000
const content = { enabled: true, notificationMode: 'all', intervalHours: 6, preset: 'All' }

const byFirst = ([a]: (string | null)[], [b]: (string | null)[]) =>
  String(a).localeCompare(String(b))

async function fixtureOf(app: Awaited<ReturnType<typeof testApp>>) {
  app.settings.set('setup.isCompleted', true)
  app.schedules.start()
  const owner = await signInOwner(app)
  for (const platform of ['gamma', 'delta']) {
    await owner.put(`${path}/${platform}`, { ...content, name: 'Default', intervalHours: 24 })
  }
  const live = await hubClient(app.listen(), owner, null)
  const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T
  const list = () => json<NamedSchedule[]>(owner.get(path))
  const find = async (name: string) => (await list()).find((one) => one.name === name)
  const add = (body: object) =>
    json<NamedSchedule>(owner.post(path, { platform: 'gamma', ...content, ...body }))
  const status = () => json<RunStatus>(owner.get(`${general}/run-status`))
  const run = (id: string) =>
    json<{ operationId: string; status: string }>(owner.post(`${path}/${id}/run`))
  const ends = () => live.received<Record<string, unknown>>('ScheduledPrefillCompleted')
  await owner.post('/api/system/prefill/persistent/start', { service: 'gamma' })
  return { app, owner, live, json, list, find, add, status, run, ends }
}

/** With a daemon whose runs the test ends. */
async function fixture() {
  const time = new ManualTime()
  const daemon = await daemonStandIn('gamma')
  const app = await testApp({ clock: time, timers: time, environment: daemon.environment })
  const started = (count: number) =>
    eventually(() => daemon.commands('prefill').length === count, `run ${count} starts`)
  return { ...(await fixtureOf(app)), time, daemon, started }
}

test('two schedules of a platform prefill their own games, and the history names them', async () => {
  const games = ['a', 'b', 'c'].map((id) => practiceGame(id))
  const origin = practiceOrigin({ games })
  const environment = { Prefill__LancacheIp: `127.0.0.1:${origin.port}` }
  const app = await testApp({ practiceOrigin: origin.url, environment })
  const { owner, live, json, add, list } = await fixtureOf(app)
  const weekly = await add({ name: 'Weekly', selectedAppIds: ['a', 'b'], enabled: false })
  const nightly = await add({ name: 'Nightly', selectedAppIds: ['c'], enabled: false })
  for (const { id } of [weekly, nightly]) {
    expect((await owner.post(`${path}/${id}/run`)).status).toBe(202)
  }
  await live.until('ScheduledPrefillCompleted', 2)
  const { sessions } = await json<SessionPage>(owner.get('/api/prefill-admin/sessions'))
  const history = `/api/prefill-admin/sessions/${sessions[0]?.sessionId}/history`
  const rows = await json<HistoryEntry[]>(owner.get(history))
  const named = rows.map(({ appId, scheduleId, scheduleName }) => [appId, scheduleId, scheduleName])
  expect(named.toSorted(byFirst)).toEqual([
    ['a', weekly.id, 'Weekly'],
    ['b', weekly.id, 'Weekly'],
    ['c', nightly.id, 'Nightly'],
  ])
  const ofGamma = (await list()).filter(({ platform }) => platform === 'gamma')
  expect(ofGamma).toMatchObject([
    { id: 'gamma', name: 'Default', isFirst: true, lastResult: null, lastRunUtc: null },
    { name: 'Nightly', isFirst: false, lastResult: { stage: 'completed', bytesDownloaded: 3000 } },
    { name: 'Weekly', isFirst: false, lastResult: { stage: 'completed', bytesDownloaded: 6000 } },
  ])
  expect(ofGamma.at(-1)?.lastRunUtc).not.toBeNull()
  const estimate = (id: string) => json<ScheduleEstimate>(owner.get(`${path}/${id}/estimate`))
  expect(await estimate(weekly.id)).toMatchObject({ games: 2, bytes: 6000 })
  expect(await estimate('gamma')).toMatchObject({ games: 3, bytes: 9000 })
  expect(await estimate('delta')).toEqual({ games: 0, bytes: null, seconds: null })
  const names = app.operations.recent({ limit: 10, includeSilent: true }).map(({ name }) => name)
  expect(names).toContain('Scheduled prefill from Battle.net: Nightly')
})

test('schedules that are due at one time run one after the other, each with its limits', async () => {
  const { owner, live, add, find, status, ends, time, daemon, started, json } = await fixture()
  const config = await json<ConfigBody>(owner.get(`${general}/config`))
  await owner.put(`${general}/config`, {
    ...config,
    maxServiceRuntime: '00:03:00',
    stallTimeout: '00:02:00',
    gamma: { ...config.gamma, enabled: false },
    delta: { ...config.delta, enabled: false },
  })
  await add({ name: 'Nightly', intervalHours: 0.05, selectedAppIds: ['x'] })
  await add({ name: 'Weekly', intervalHours: 0.05, selectedAppIds: ['y'] })
  await time.advance(4 * 60_000)
  await started(1)
  expect(await status()).toMatchObject({
    isRunning: true,
    current: { scheduleName: 'Nightly', serviceId: 'Gamma' },
  })
  expect(daemon.commands('set-selected-apps').at(-1)?.parameters).toEqual({ appIds: '["x"]' })
  // Without progress: the first run is ended, and only that one.
  await time.advance(121_000)
  await started(2)
  expect(daemon.commands('cancel-prefill')).toHaveLength(1)
  expect(await status()).toMatchObject({ current: { scheduleName: 'Weekly' } })
  expect(await find('Nightly')).toMatchObject({
    isRunning: false,
    lastRunUtc: null,
    lastResult: { stage: 'failed', messageKey: 'stalled' },
  })
  // With progress the limit of the whole run, which began with its own turn.
  for (let bytes = 1; bytes <= 2; bytes++) {
    daemon.progress({ state: 'downloading', currentAppId: 'y', bytesDownloaded: bytes })
    await live.live.sync()
    await time.advance(91_000)
  }
  await live.until('ScheduledPrefillCompleted')
  expect(daemon.commands('cancel-prefill')).toHaveLength(2)
  expect(await find('Weekly')).toMatchObject({
    lastResult: { stage: 'failed', messageKey: 'overtime', bytesDownloaded: 2 },
  })
  const failures = [
    { schedule: 'Battle.net: Nightly', reason: 'Prefill stalled (no progress)' },
    { schedule: 'Battle.net: Weekly', reason: 'Exceeded maximum service runtime' },
  ]
  const error =
    'One or more services failed during the run: Battle.net: Nightly: ' +
    'Prefill stalled (no progress); Battle.net: Weekly: Exceeded maximum service runtime'
  const context = { reason: 'failed', failures }
  expect(ends()).toMatchObject([{ success: false, error, context, serviceCount: 2 }])
})

test('a second run of a platform waits for the first, and a session of a user skips it', async () => {
  const { owner, live, add, find, run, daemon, started } = await fixture()
  const nightly = await add({ name: 'Nightly' })
  const weekly = await add({ name: 'Weekly' })
  expect(await run(nightly.id)).toMatchObject({ status: 'started' })
  await started(1)
  expect(await run(nightly.id)).toMatchObject({ status: 'alreadyRunning' })
  expect(await run(weekly.id)).toMatchObject({ status: 'waiting' })
  expect(await find('Weekly')).toMatchObject({ isQueued: true, isRunning: false })
  const hub = await hubClient(live.host, owner, 'gamma')
  await hub.call('CreateSessionAsync')
  daemon.progress({ state: 'completed', totalApps: 1, totalBytesTransferred: 5 })
  await live.until('ScheduledPrefillCompleted', 2)
  expect(daemon.commands('prefill')).toHaveLength(1)
  expect(await find('Weekly')).toMatchObject({
    isQueued: false,
    lastRunUtc: null,
    lastResult: {
      stage: 'skipped',
      message: 'A manual prefill session is active',
      messageKey: 'manualSession',
    },
  })
  const steps = live.received<Record<string, unknown>>('ScheduledPrefillProgress')
  expect(steps.at(-1)).toMatchObject({ scheduleId: weekly.id, scheduleName: 'Weekly' })
  const frames = live.live.frames.filter(({ event }) => event?.startsWith('ScheduledPrefill'))
  expect(frames.length).toBeGreaterThan(4)
  for (const frame of frames) expect([frame.event, eventFaults(frame)]).toEqual([frame.event, []])
})

test('an estimate goes at the speed of what was downloaded, whatever was in the cache', async () => {
  const { owner, add, started, daemon, time, json, live } = await fixture()
  const { id } = await add({ name: 'Weekly', selectedAppIds: ['a', 'b'], enabled: false })
  await owner.post(`${path}/${id}/run`)
  await started(1)
  const estimate = () => json<ScheduleEstimate>(owner.get(`${path}/${id}/estimate`))
  for (const [currentAppId, bytesDownloaded, totalBytes] of [
    ['a', 100, 100],
    ['b', 0, 900],
  ] as const) {
    const game = { currentAppId, bytesDownloaded, totalBytes }
    daemon.progress({ state: 'downloading', ...game })
    await live.until('GammaPrefillHistoryUpdated', currentAppId === 'a' ? 1 : 3)
    expect((await estimate()).bytes).toBeNull()
    await time.advance(1000)
    daemon.progress({ state: 'app_completed', ...game, result: 'Success' })
    await live.until('GammaPrefillHistoryUpdated', currentAppId === 'a' ? 2 : 4)
  }
  expect(await estimate()).toEqual({ games: 2, bytes: 1000, seconds: 20 })
})

test('deleting a running schedule cancels its run; the others go on', async () => {
  const { owner, live, add, list, ends, daemon, started } = await fixture()
  const first = await add({ name: 'Nightly' })
  const queued = await add({ name: 'Weekly', enabled: false })
  await owner.post(`${path}/run`)
  await started(1)
  daemon.progress({ state: 'completed' })
  await started(2)
  await owner.post(`${path}/${queued.id}/run`)
  expect((await owner.delete(`${path}/${first.id}`)).status).toBe(200)
  await eventually(() => daemon.commands('cancel-prefill').length === 1, 'the cancel arrives')
  expect((await owner.delete(`${path}/${queued.id}`)).status).toBe(200)
  daemon.progress({ state: 'cancelled' })
  await live.until('ScheduledPrefillCompleted')
  // Delta has no persistent session.
  expect(ends()).toMatchObject([{ success: true, cancelled: false }])
  expect(daemon.commands('prefill')).toHaveLength(2)
  expect((await list()).map(({ id }) => id)).toEqual(['alpha', 'beta', 'epsilon', 'gamma', 'delta'])
})

test('a session that ends during its run fails alone; the other schedules go on', async () => {
  const [gamma, delta] = [await daemonStandIn('gamma'), await daemonStandIn('delta')]
  const environment = { ...gamma.environment, ...delta.environment }
  const { app, owner, live, list } = await fixtureOf(await testApp({ environment }))
  await owner.post('/api/system/prefill/persistent/start', { service: 'delta' })
  await owner.post(`${path}/run`)
  await eventually(() => gamma.commands('prefill').length === 1, 'the first run starts')
  const sessionId = app.groups.prefill.sessions.persistentOf('gamma')?.id
  await owner.post('/api/system/prefill/persistent/stop', { sessionId })
  await eventually(() => delta.commands('prefill').length === 1, 'the next run starts')
  delta.progress({ state: 'completed' })
  await live.until('ScheduledPrefillCompleted')
  const results = (await list()).map(({ id, lastResult }) => [id, lastResult?.stage])
  expect(Object.fromEntries(results)).toMatchObject({ gamma: 'failed', delta: 'completed' })
})

test('the documented endpoints are about the first schedule', async () => {
  const { owner, live, add, find, json, daemon, started, time } = await fixture()
  const other = await add({ name: 'Hourly', intervalHours: 1 })
  const answer = await owner.put(`${path}/gamma`, { ...content, name: ' Main ', force: true })
  expect((await answer.json()) as object).toMatchObject({
    id: 'gamma',
    name: 'Main',
    isFirst: true,
  })
  const config = await json<ConfigBody>(owner.get(`${general}/config`))
  expect(config.gamma).toMatchObject({ serviceId: 'Gamma', intervalHours: 6, force: true })
  const plans = await json<ServicePlan[]>(owner.get(`${general}/schedule`))
  expect(plans).toHaveLength(5)
  expect(plans.find(({ serviceId }) => serviceId === 'Gamma')?.intervalHours).toBe(6)
  // The card of the service shows the soonest run of all.
  const next = new Date(time.now().getTime() + hourMs).toISOString()
  expect(await json<object>(owner.get(general))).toMatchObject({ nextRunUtc: next })
  await owner.post(`${general}/run`)
  await started(1)
  daemon.progress({ state: 'completed' })
  await live.until('ScheduledPrefillCompleted')
  expect(daemon.commands('prefill')).toHaveLength(1)
  expect(await find('Main')).toMatchObject({ lastResult: { stage: 'completed' } })
  expect(await find('Hourly')).toMatchObject({ id: other.id, lastResult: null })
})

test('names and options are checked, and their number is limited', async () => {
  const { app, owner, add } = await fixture()
  const { id } = await add({ name: 'Nightly' })
  const refused = async (method: 'post' | 'put', to: string, body: object) => {
    const answer = await owner[method](to, { ...content, ...body })
    return [answer.status, ((await answer.json()) as { error: string }).error]
  }
  const twin = [409, 'The platform already has a schedule of this name']
  expect(await refused('post', path, { platform: 'gamma', name: 'NIGHTLY ' })).toEqual(twin)
  expect(await refused('put', `${path}/${id}`, { name: 'default' })).toEqual(twin)
  for (const name of ['  ', 'a\u202eb', 'a\nb']) {
    const [status] = await refused('post', path, { platform: 'gamma', name })
    expect(status).toBe(400)
  }
  expect(await refused('put', `${path}/${id}`, { name: 'N', intervalHours: -2 })).toEqual([
    400,
    'intervalHours: must be -1, 0, or up to 8760',
  ])
  for (const [method, to] of [
    ['post', path],
    ['put', `${path}/${id}`],
  ] as const) {
    const unknown = { ...(method === 'post' && { platform: 'gamma' }), name: 'M', cache: 'attic' }
    expect(await refused(method, to, unknown)).toEqual([400, 'cache: there is no node attic'])
  }
  expect((await owner.put(`${path}/${id}`, { ...content, name: 'n'.repeat(61) })).status).toBe(400)
  expect((await owner.put(`${path}/none`, { ...content, name: 'x' })).status).toBe(404)
  expect((await owner.delete(`${path}/gamma`)).status).toBe(409)
  for (let count = 2; count < schedulesMax; count++) await add({ name: `N ${count}` })
  expect(await refused('post', path, { platform: 'gamma', name: 'one more' })).toEqual([
    409,
    `A platform has at most ${schedulesMax} schedules`,
  ])
  const ofDelta = await owner.post(path, { platform: 'delta', ...content, name: 'one more' })
  expect(ofDelta.status).toBe(200)
  const user = await signInAs(app, 'user')
  expect((await user.get(path)).status).toBe(200)
})
