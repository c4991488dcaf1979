import { beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../../test/support/eventually.ts'
import { reportApp } from '../../../test/support/report-app.ts'
import type { ServiceSchedule } from './model.ts'
import type { OperationType, Queued } from '../../core/operations/contract.ts'

const path = '/api/system/schedules'
const environment = {
  Optimizations__EnableGarbageCollectionManagement: 'true',
  CacheSizeScan__IntervalHours: '12',
}
const published: unknown[] = []
const names: string[] = []

const app = await reportApp({ environment })
const publish = app.deps.hub.publish.bind(app.deps.hub)
app.deps.hub.publish = (event, data, audience) => {
  names.push(event)
  if (event === 'SchedulesUpdated') published.push(data)
  publish(event, data, audience)
}
beforeEach(async () => {
  await app.send('POST', `${path}/reset`, 'user')
  published.splice(0)
})

const list = async (): Promise<ServiceSchedule[]> => app.read(path, 'user')
const read = async (key: string): Promise<ServiceSchedule> => app.read(`${path}/${key}`, 'user')
const put = (key: string, body: unknown) => app.send('PUT', `${path}/${key}`, 'user', body)

/** Both count as success without a body. */
async function expectEmpty(answer: Promise<Response>): Promise<void> {
  const { status, text } = await answer.then(async (got) => ({
    status: got.status,
    text: await got.text(),
  }))
  expect([status, text]).toEqual([200, ''])
}

describe(`GET ${path}`, () => {
  test('lists services with their defaults; what is not documented stays internal', async () => {
    const rows = (await list()).map((row) => [row.key, row.intervalHours, row.notificationMode])
    expect(rows).toEqual([
      ['depotMapping', 1, 'manual'],
      ['gameImageFetch', 0.5, 'manual'],
      ['betaMapping', 12, 'manual'],
      ['epsilonMapping', 12, 'manual'],
      ['cacheReconciliation', 6, 'manual'],
      ['gameDetection', 6, 'all'],
      ['cacheSnapshot', 1, 'manual'],
      ['cacheSizeScan', 12, 'all'],
      ['logRotation', 24, 'manual'],
      ['operationHistoryCleanup', 1, 'manual'],
      // Beyond the documented ones.
      ['backup', 0, 'manual'],
      ['scheduledPrefill', 0, 'all'],
      ['prefillReadyCheck', 1, 'manual'],
      ['dashboardCacheWarmer', 5 / 60, 'manual'],
    ])
    const onStartup = (await list()).filter(({ runOnStartup }) => runOnStartup)
    expect(onStartup.map(({ key }) => key)).toEqual([
      'depotMapping',
      'betaMapping',
      'epsilonMapping',
      'dashboardCacheWarmer',
    ])
    expect(await read('cacheSnapshot')).toEqual({
      key: 'cacheSnapshot',
      intervalHours: 1,
      runOnStartup: false,
      isRunning: false,
      lastRunUtc: null,
      nextRunUtc: expect.stringMatching(/Z$/),
      notificationMode: 'manual',
      supportsNotifications: true,
      notificationDisplayMode: 'condensed',
      customSchedule: null,
      pendingFullScan: null,
      awaitingSignIn: null,
      defaults: { intervalHours: 1, runOnStartup: false, notificationMode: 'manual' },
    })
  })

  test.each(['betaMapping', 'epsilonMapping'])('%s waits for a sign-in', async (key) => {
    expect((await read(key)).awaitingSignIn).toBe(true)
  })

  test('lists collections while they are enabled', async () => {
    const body = { enabled: true, memoryThresholdMB: 4096 }
    await app.send('PUT', '/api/gc/settings', 'user', body)
    expect(published.at(-1)).toContainEqual(
      expect.objectContaining({ key: 'performanceOptimization', runOnStartup: true }),
    )
    await app.send('PUT', '/api/gc/settings', 'user', { ...body, enabled: false })
    expect((await list()).map(({ key }) => key)).not.toContain('performanceOptimization')
  })

  test('an unknown service is 404 everywhere', async () => {
    const calls = [
      app.send('GET', `${path}/retention`, 'user'),
      app.send('GET', `${path}/other/run-status`, 'user'),
      app.send('POST', `${path}/other/run`, 'user'),
      put('other', { intervalHours: 1 }),
      put('other/runOnStartup', { runOnStartup: true }),
      put('other/customSchedule', { customSchedule: null }),
      put('other/notificationMode', 'all'),
      put('other/notificationDisplayMode', 'full'),
    ]
    for (const answer of await Promise.all(calls)) {
      expect([answer.status, await answer.json()]).toEqual([404, { error: 'Schedule not found' }])
    }
  })
})

describe('the status of a run', () => {
  test.each(['cacheSnapshot', 'gammaMapping', 'deltaMapping'])('of %s is idle', async (key) => {
    expect(await app.read(`${path}/${key}/run-status`, 'user')).toEqual({
      isRunning: false,
      operationId: null,
      percentComplete: 0,
      stageKey: null,
      context: null,
      showNotification: true,
    })
  })
})

describe('a change', () => {
  test.each([
    ['cacheSnapshot', { intervalHours: 0.5 }, { intervalHours: 0.5 }],
    ['cacheSnapshot', { intervalHours: 0 }, { intervalHours: 0, nextRunUtc: null }],
    ['cacheSnapshot', { intervalHours: -1 }, { intervalHours: -1, nextRunUtc: null }],
    ['cacheSnapshot/runOnStartup', { runOnStartup: true }, { runOnStartup: true }],
    ['cacheSnapshot/notificationMode', 'silent', { notificationMode: 'silent' }],
    ['cacheSnapshot/notificationDisplayMode', 'full', { notificationDisplayMode: 'full' }],
  ])('PUT %s with %j is stored and published', async (key, body, shown) => {
    await expectEmpty(put(key, body))
    expect(await read('cacheSnapshot')).toMatchObject(shown)
    expect(published.at(-1)).toEqual(await list())
  })

  test.each([
    ['cacheSnapshot', { intervalHours: 'x' }],
    ['cacheSnapshot', {}],
    ['cacheSnapshot/runOnStartup', { runOnStartup: 'maybe' }],
    ['cacheSnapshot/notificationMode', 'some'],
    ['cacheSnapshot/notificationMode', { notificationMode: 'all' }],
    ['cacheSnapshot/notificationDisplayMode', 'all'],
    ['cacheSnapshot/customSchedule', { customSchedule: { expression: 5 } }],
  ])('PUT %s with %j is refused', async (key, body) => {
    const answer = await put(key, body)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('Content-Type')).toContain('problem+json')
  })

  test('of the crawl of Steam is the one of its own endpoints', async () => {
    await expectEmpty(put('depotMapping', { intervalHours: 5 }))
    expect(app.deps.settings.get('depots.crawlIntervalHours')).toBe(5)
    expect((await read('depotMapping')).intervalHours).toBe(5)
    expect((await put('depotMapping', { intervalHours: -1 })).status).toBe(400)
    await app.send('POST', `${path}/reset`, 'user')
    expect((await read('depotMapping')).intervalHours).toBe(1)
  })

  test('of the names from Epic Games is the one of its own endpoints, too', async () => {
    await expectEmpty(put('betaMapping', { intervalHours: 5 }))
    expect(app.deps.settings.get('beta.intervalHours')).toBe(5)
    expect((await put('betaMapping', { intervalHours: 9000 })).status).toBe(400)
    await app.send('POST', `${path}/reset`, 'user')
    expect((await read('betaMapping')).intervalHours).toBe(12)
  })

  test('is undone by a reset', async () => {
    const before = await list()
    await put('cacheSnapshot', { intervalHours: 7 })
    await put('gameDetection/notificationMode', 'silent')
    await expectEmpty(app.send('POST', `${path}/reset`, 'user'))
    expect(await list()).toEqual(before)
  })
})

describe('a calendar schedule', () => {
  const custom = { expression: '0 4 * * MON', timeZoneId: 'Europe/Berlin' }

  test('replaces the interval, which is kept', async () => {
    const window = { windowStart: '03:00', windowEnd: '05:00' }
    const customSchedule = { ...custom, ...window }
    await expectEmpty(put('cacheSnapshot/customSchedule', { customSchedule }))
    expect(await read('cacheSnapshot')).toMatchObject({
      customSchedule,
      intervalHours: 1,
      nextRunUtc: '2026-11-23T03:00:00.000Z',
    })
    await expectEmpty(put('cacheSnapshot/customSchedule', { customSchedule: custom }))
    expect((await read('cacheSnapshot')).customSchedule).toEqual({
      ...custom,
      windowStart: null,
      windowEnd: null,
    })
    await expectEmpty(put('cacheSnapshot/customSchedule', { customSchedule: null }))
    expect(await read('cacheSnapshot')).toMatchObject({ customSchedule: null })
  })

  test.each([
    { ...custom, expression: 'never' },
    { ...custom, timeZoneId: 'W. Europe Standard Time' },
    { ...custom, windowStart: '10:00' },
    { ...custom, windowStart: '10:00', windowEnd: '11:00' },
  ])('%j is refused in plain text', async (customSchedule) => {
    const answer = await put('cacheSnapshot/customSchedule', { customSchedule })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('Content-Type')).toContain('text/plain')
    expect(await answer.text()).toMatch(/^(?:expression|timeZoneId|windowStart|customSchedule)/)
  })
})

describe('the preview of a calendar', () => {
  const preview = (query: Record<string, string>) =>
    app.read(`/api/ext/schedules/next-runs?${new URLSearchParams(query).toString()}`, 'user')

  test('names the next runs inside the window', async () => {
    const calendar = { expression: '0 4 * * MON', timeZoneId: 'Europe/Berlin' }
    const window = { windowStart: '03:00', windowEnd: '05:00' }
    expect(await preview({ ...calendar, ...window })).toEqual({
      runs: ['2026-11-23T03:00:00.000Z', '2026-11-30T03:00:00.000Z', '2026-12-07T03:00:00.000Z'],
      problem: null,
    })
  })

  test('says why a calendar is refused', async () => {
    expect(await preview({ expression: 'never', timeZoneId: 'UTC' })).toEqual({
      runs: [],
      problem: expect.stringContaining('expression'),
    })
  })
})

describe('a run', () => {
  const run = async (key: string) => {
    const answer = await app.send('POST', `${path}/${key}/run`, 'user')
    return { status: answer.status, body: (await answer.json()) as Queued }
  }

  test('that is no operation can be polled, too', async () => {
    const { status, body } = await run('prefillReadyCheck')
    expect(status).toBe(202)
    expect(body).toMatchObject({ queued: false, alreadyRunning: false, status: 'started' })
    const polled = await app.send('GET', `/api/operations/${body.operationId}`, 'user')
    expect(await polled.json()).toMatchObject({ active: false, percentComplete: 100 })
    expect((await read('prefillReadyCheck')).lastRunUtc).toBe(app.time.now().toISOString())
  })

  test.each<[OperationType, string]>([
    ['logRotation', 'LogRotation'],
    ['cacheSnapshot', 'CacheSnapshot'],
    ['operationHistoryCleanup', 'OperationHistoryCleanup'],
    ['dashboardCacheWarmer', 'DashboardCacheWarmer'],
    ['performanceOptimization', 'PerformanceOptimization'],
  ])('of %s is an operation that is announced, unless it is silent', async (key, prefix) => {
    await app.send('PUT', '/api/gc/settings', 'user', { enabled: true, memoryThresholdMB: 32_768 })
    names.splice(0)
    const { body } = await run(key)
    await eventually(() => names.includes(`${prefix}Complete`), 'its end is announced')
    expect(names).toContain(`${prefix}Started`)
    expect(app.operations.find(body.operationId)?.type).toBe(key)
    names.splice(0)
    expect((await put(`${key}/notificationMode`, 'silent')).status).toBe(200)
    await run(key)
    await eventually(async () => !(await read(key)).isRunning, 'the silent run has ended')
    expect(names.filter((name) => name.startsWith(prefix))).toEqual([])
    app.deps.settings.clear('memory.collects')
  })

  test('of the cleanup removes jobs that ended long ago', async () => {
    const done = app.operations.submit({
      type: 'cacheSnapshot',
      scope: 'bulk',
      name: 'Old',
      run: () => Promise.resolve({ kind: 'completed' }),
    })
    const isKept = () =>
      app.operations.recent({ limit: 10 }).some(({ id }) => id === done.operationId)
    await eventually(isKept, 'the job has ended')
    await run('operationHistoryCleanup')
    expect(isKept()).toBe(true)
    const dayMs = 86_400_000
    app.operations.forget(new Date(app.time.now().getTime() + dayMs))
    expect(isKept()).toBe(false)
  })

  test('that is one has its id, state and events; a second call finds it', async () => {
    const held = Promise.withResolvers<void>()
    const { operations } = app
    operations.submit({
      type: 'evictionScan',
      scope: 'bulk',
      name: 'Eviction scan',
      async run({ report }) {
        report({ percentComplete: 40, stageKey: 'signalr.evictionScan.scanning' })
        await held.promise
        return { kind: 'completed' }
      },
    })
    const id = operations.active('evictionScan')?.id
    const again = await run('cacheReconciliation')
    expect(again.body).toMatchObject({ operationId: id, status: 'alreadyRunning', queued: false })
    expect(await app.read(`${path}/CACHEreconciliation/run-status`, 'user')).toMatchObject({
      isRunning: true,
      operationId: id,
      percentComplete: 40,
      stageKey: 'signalr.evictionScan.scanning',
      showNotification: true,
    })
    expect(published.at(-1)).toContainEqual(
      expect.objectContaining({ key: 'cacheReconciliation', isRunning: true }),
    )
    const all = await app.send('POST', `${path}/run-all`, 'user')
    expect(all.status).toBe(202)
    const counts = (await all.json()) as { triggeredCount: number; alreadyRunningCount: number }
    expect(counts.triggeredCount + counts.alreadyRunningCount).toBe(14)
    expect(counts.alreadyRunningCount).toBeGreaterThanOrEqual(1)
    held.resolve()
  })
})
