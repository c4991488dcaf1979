import { expect, test } from 'bun:test'
import { testApp, type TestAppOptions } from '../../../test/support/app.ts'
import { daemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { practiceGame, practiceOrigin } from '../../../test/support/practice-origin.ts'
import { signInOwner } from '../../../test/support/sign-in.ts'
import type { ReadyBoard, ReadyGame } from './model.ts'

const path = '/api/ext/prefill/ready'
const hourMs = 3_600_000
const minuteMs = 60_000

async function boardOf(options: TestAppOptions) {
  const app = await testApp(options)
  app.settings.set('setup.isCompleted', true)
  app.schedules.start()
  const owner = await signInOwner(app)
  const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T
  const board = () => json<ReadyBoard>(owner.get(path))
  const game = async (appId: string): Promise<ReadyGame> => {
    const found = (await board()).games.find((one) => one.appId === appId)
    if (found === undefined) throw new Error(`${appId} is not on the board`)
    return found
  }
  return {
    app,
    owner,
    json,
    board,
    game,
    states: async () =>
      Object.fromEntries((await board()).games.map(({ appId, state }) => [appId, state])),
    add: (...ids: string[]) =>
      owner.post(`${path}/games`, {
        games: ids.map((appId) => ({ platform: 'gamma', appId, name: `Game ${appId}` })),
      }),
    start: () => owner.post('/api/system/prefill/persistent/start', { service: 'gamma' }),
    checked: () =>
      eventually(async () => {
        const { isChecking, games } = await board()
        return !isChecking && games.every(({ checkedAtUtc }) => checkedAtUtc !== null)
      }, 'the games are checked'),
  }
}

/** With Larder's own daemon, and an origin whose games a test can change. */
async function withOrigin() {
  const games = [practiceGame('a'), practiceGame('b', { objects: 5 })]
  const origin = practiceOrigin({ games })
  const environment = { Prefill__LancacheIp: `127.0.0.1:${origin.port}` }
  return { origin, ...(await boardOf({ practiceOrigin: origin.url, environment })) }
}

/** With a daemon whose answers and runs the test gives. */
async function withStandIn(options: TestAppOptions = {}) {
  const time = new ManualTime()
  const daemon = await daemonStandIn('gamma')
  const current = new Set<string>()
  const sizes = new Map<string, number>()
  let selected: string[] = ['kept']
  daemon.on('check-cache-status', ({ parameters }) => {
    const ids = JSON.parse(parameters['appIds'] ?? '[]') as string[]
    const apps = ids.map((appId) => ({ appId, name: appId, isUpToDate: current.has(appId) }))
    return { success: true, data: { apps, message: 'ok' } }
  })
  daemon.on('get-selected-apps', () => ({ success: true, data: selected }))
  daemon.on('set-selected-apps', ({ parameters }) => {
    selected = JSON.parse(parameters['appIds'] ?? '[]') as string[]
    return { success: true, message: 'Apps selected' }
  })
  daemon.on('get-selected-apps-status', () => ({
    success: true,
    data: {
      apps: selected.map((appId) => ({ appId, name: appId, downloadSize: sizes.get(appId) ?? 0 })),
    },
  }))
  const environment = { ...daemon.environment, ...options.environment }
  const fixture = await boardOf({ ...options, clock: time, timers: time, environment })
  const runs = () => daemon.commands('prefill').length
  return {
    ...fixture,
    time,
    daemon,
    current,
    sizes,
    selected: () => selected,
    runs,
    begun: (count: number) => eventually(() => runs() === count, `run ${count} begins`),
    /** The daemon has downloaded these games, and the run ends. */
    finish(...ids: string[]) {
      for (const appId of ids) {
        current.add(appId)
        const app = { currentAppId: appId, currentAppName: appId, totalBytes: 1000 }
        daemon.progress({ state: 'downloading', ...app, bytesDownloaded: 500, totalApps: 1 })
        daemon.progress({
          state: 'app_completed',
          ...app,
          bytesDownloaded: 1000,
          result: 'Success',
        })
      }
      daemon.progress({ state: 'completed', updatedApps: ids.length, totalApps: ids.length })
    },
    ended: () =>
      eventually(async () => (await fixture.board()).operationId === null, 'the run ends'),
  }
}

test('games are checked, fetched and ready; a new build is noticed with its size', async () => {
  const { origin, app, owner, board, game, states, add, start, checked } = await withOrigin()
  await add('a', 'b')
  expect(await states()).toEqual({ a: 'unknown', b: 'unknown' })
  const hint = 'No running persistent session for Battle.net. Start it on the prefill page.'
  expect((await game('a')).problem).toBe(hint)
  await start()
  await owner.post(`${path}/check`)
  await checked()
  expect(await game('a')).toMatchObject({ state: 'missing', totalBytes: 3000, missingBytes: 3000 })
  expect(await board()).toMatchObject({ missingBytes: 8000, verdict: 'unknown', seconds: null })
  expect((await owner.post(`${path}/make`)).status).toBe(202)
  await eventually(async () => (await board()).verdict === 'ready', 'every game is ready')
  await eventually(async () => !(await board()).isWanted, 'the wish is fulfilled')
  expect(await board()).toMatchObject({ missingBytes: 0, readyAtUtc: null, operationId: null })
  expect(origin.content).toHaveLength(8)
  origin.state.games = [
    practiceGame('a', { version: '2', objects: 4 }),
    ...origin.state.games.slice(1),
  ]
  await owner.post(`${path}/check`)
  await eventually(async () => (await states())['a'] === 'outdated', 'the build is noticed')
  await checked()
  const found = await game('a')
  expect(found).toMatchObject({ totalBytes: 4000, missingBytes: 4000 })
  expect(found.newBuildAtUtc).not.toBeNull()
  // At the rate of the downloads before.
  expect((await board()).seconds).toBeGreaterThan(0)
  await owner.put(path, { fetchesUpdates: true })
  expect((await board()).isWanted).toBe(false)
  await eventually(async () => (await states())['a'] === 'ready', 'the build is fetched')
  expect(await game('a')).toMatchObject({ newBuildAtUtc: null, missingBytes: 0 })
  const names = app.operations.recent({ limit: 20, includeSilent: true }).map(({ name }) => name)
  expect(names).toContain('Fetching of the games that are to be ready')
})

test('a platform that does not answer keeps its last verdict with its time', async () => {
  const { origin, owner, game, add, start, checked } = await withOrigin()
  await start()
  await add('a')
  await checked()
  const before = await game('a')
  origin.state.games = []
  await owner.post(`${path}/check`)
  await eventually(async () => (await game('a')).problem !== null, 'the check failed')
  const after = await game('a')
  expect(before).toEqual({ ...after, problem: null })
  expect(after.problem).toStartWith('Not every game could be checked: ')
})

test('the selection of the daemon is put back after sizes, and no run is disturbed', async () => {
  const { daemon, sizes, selected, owner, add, start, checked, game, app } = await withStandIn()
  sizes.set('a', 7000)
  await start()
  await add('a')
  await checked()
  await eventually(async () => (await game('a')).totalBytes === 7000, 'the size is known')
  await eventually(() => app.operations.active('prefillReadyCheck') === null, 'the check ends')
  expect(selected()).toEqual(['kept'])
  const asked = () => daemon.commands('set-selected-apps').length
  expect(asked()).toBe(2)
  // The size is known: nothing is selected again.
  await owner.post(`${path}/check`)
  await eventually(
    () => daemon.commands('check-cache-status').length >= 2,
    'versions are asked for',
  )
  await eventually(() => app.operations.active('prefillReadyCheck') === null, 'the check ends')
  expect(asked()).toBe(2)
})

test('batches run in the order of their times; what was fetched is not fetched again', async () => {
  const { owner, board, add, start, checked, daemon, begun, finish, ended, states } =
    await withStandIn()
  await start()
  await add('late', 'none')
  const games = [
    { platform: 'gamma', appId: 'late', name: 'Late', dueAtUtc: '2026-03-03T18:00:00Z' },
    { platform: 'gamma', appId: 'soon', name: 'Soon', dueAtUtc: '2026-03-02T18:00:00+01:00' },
  ]
  await owner.post(`${path}/games`, { games })
  await checked()
  await owner.post(`${path}/make`)
  for (const [index, appId] of ['soon', 'late', 'none'].entries()) {
    await begun(index + 1)
    expect(daemon.commands('set-selected-apps').at(-1)?.parameters).toEqual({
      appIds: JSON.stringify([appId]),
    })
    await eventually(async () => (await board()).operationId !== null, 'the run has an operation')
    finish(appId)
  }
  await ended()
  expect(await states()).toEqual({ late: 'ready', none: 'ready', soon: 'ready' })
  expect((await board()).isWanted).toBe(false)
})

test('runs end with the allowed hours and go on in the next ones, in the zone of the service', async () => {
  // 12:00 UTC is 21:00 in Tokyo.
  const zone = { environment: { TZ: 'Asia/Tokyo' } }
  const { owner, board, add, start, checked, time, daemon, runs, begun, finish, ended } =
    await withStandIn(zone)
  await start()
  await add('a')
  await checked()
  await owner.put(path, { hours: { start: '23:00', end: '02:00' } })
  await owner.post(`${path}/make`)
  await ended()
  await time.advance(110 * minuteMs)
  expect([runs(), (await board()).isWanted]).toEqual([0, true])
  await time.advance(15 * minuteMs)
  await begun(1)
  daemon.on('cancel-prefill', () => {
    daemon.progress({ state: 'cancelled' })
    return { success: true, message: 'Prefill cancelled' }
  })
  // Over midnight.
  for (let at = 0; at < 174; at++) {
    daemon.progress({ state: 'downloading', currentAppId: 'a', bytesDownloaded: at + 1 })
    await time.advance(minuteMs)
  }
  expect(daemon.commands('cancel-prefill')).toEqual([])
  await time.advance(3 * minuteMs)
  await eventually(() => daemon.commands('cancel-prefill').length === 1, 'the run is cancelled')
  await ended()
  expect((await board()).isWanted).toBe(true)
  await time.skip(20 * hourMs)
  expect(runs()).toBe(1)
  await time.skip(hourMs + minuteMs)
  await time.advance(minuteMs)
  await begun(2)
  finish('a')
  await ended()
  expect(await board()).toMatchObject({ isWanted: false, verdict: 'ready' })
})

test('a wish is taken back with its run, and stays taken back', async () => {
  const { owner, board, add, start, checked, time, daemon, runs, begun, ended } =
    await withStandIn()
  await start()
  await add('a')
  await checked()
  daemon.on('cancel-prefill', () => {
    daemon.progress({ state: 'cancelled' })
    return { success: true, message: 'Prefill cancelled' }
  })
  await owner.post(`${path}/make`)
  await begun(1)
  await owner.delete(`${path}/make`)
  await ended()
  // Whoever cancels the operation takes the wish back, too.
  await owner.post(`${path}/make`)
  await begun(2)
  await owner.post(`/api/operations/${(await board()).operationId}/cancel`)
  await ended()
  expect((await board()).isWanted).toBe(false)
  await time.advance(3 * hourMs)
  expect(runs()).toBe(2)
})

test('games that fail are tried again, at growing intervals', async () => {
  const { owner, add, start, checked, time, daemon, runs, begun, ended, board } =
    await withStandIn()
  await start()
  await add('a')
  await checked()
  await owner.post(`${path}/make`)
  for (const [index, minutes] of [5, 10, 20, 40, 60, 60].entries()) {
    await begun(index + 1)
    daemon.progress({ state: 'error', errorMessage: 'no luck' })
    await ended()
    await time.advance((minutes - 1) * minuteMs)
    expect(runs()).toBe(index + 1)
    await time.advance(2 * minuteMs)
  }
  expect((await board()).isWanted).toBe(true)
})

test('a run of the board and one of a schedule exclude each other', async () => {
  const { app, owner, add, start, checked, begun, finish, runs, ended } = await withStandIn()
  await start()
  await add('a')
  await checked()
  await owner.post(`${path}/make`)
  await begun(1)
  await owner.put('/api/ext/prefill/schedules/gamma', {
    name: 'Default',
    enabled: true,
    notificationMode: 'all',
    intervalHours: 24,
    preset: 'All',
  })
  await owner.post('/api/ext/prefill/schedules/gamma/run')
  expect(app.operations.waiting()).toMatchObject([{ operationType: 'scheduledPrefill' }])
  expect(runs()).toBe(1)
  finish('a')
  await begun(2)
  await ended()
})

test('games are at most 200, times are times, and an unknown game is no game', async () => {
  const { owner, add, board } = await withStandIn()
  const ids = Array.from({ length: 200 }, (_, index) => `g${index}`)
  expect((await add(...ids)).status).toBe(200)
  expect((await add('one more')).status).toBe(409)
  expect((await add('g0')).status).toBe(200)
  expect((await owner.put(path, { dueAtUtc: 'Friday' })).status).toBe(400)
  expect((await owner.put(path, { hours: { start: '10:00', end: '10:00' } })).status).toBe(400)
  expect((await owner.put(path, { hours: { start: '25:00', end: '10:00' } })).status).toBe(400)
  expect((await owner.delete(`${path}/games/gamma/g0`)).status).toBe(200)
  expect((await owner.delete(`${path}/games/gamma/g0`)).status).toBe(404)
  expect((await board()).games).toHaveLength(199)
  const due = '2026-11-27T18:00:00+01:00'
  expect((await owner.put(path, { dueAtUtc: due })).status).toBe(200)
  expect((await board()).dueAtUtc).toBe('2026-11-27T17:00:00.000Z')
})

test('after a restart in the middle of a run the wish goes on', async () => {
  const held = Promise.withResolvers<undefined>()
  const games = [practiceGame('a'), practiceGame('b')]
  const origin = practiceOrigin({ games })
  origin.intercept((path) => (path.includes('/b/') ? held.promise : undefined))
  const environment = { Prefill__LancacheIp: `127.0.0.1:${origin.port}` }
  const options = { practiceOrigin: origin.url, environment }
  const first = await boardOf(options)
  await first.start()
  await first.add('a', 'b')
  await first.checked()
  await first.owner.post(`${path}/make`)
  await eventually(async () => (await first.states())['b'] === 'fetching', 'the second game runs')
  await first.app.stop()
  held.resolve(undefined)
  const again = { ...environment, DATA_PATH: first.app.config.dataPath }
  const { board, states } = await boardOf({ ...options, environment: again })
  expect((await board()).isWanted).toBe(true)
  await eventually(async () => !(await board()).isWanted, 'the wish is fulfilled')
  expect(await states()).toEqual({ a: 'ready', b: 'ready' })
})

test('a game that one session cannot judge is asked of the next one', async () => {
  const { app, daemon, add, start, states, game, owner } = await withStandIn()
  const { sessions } = app.groups.prefill
  daemon.on('check-cache-status', () => ({ success: true, data: { apps: [], message: 'ok' } }))
  await start()
  await add('a')
  await eventually(async () => (await game('a')).problem !== null, 'it cannot be judged')
  expect(await game('a')).toMatchObject({ state: 'unknown', checkedAtUtc: null })
  const [first] = sessions.persistentsOf('gamma')
  if (first === undefined) throw new Error('there is no session')
  const apps = [{ appId: 'a', name: 'A', isUpToDate: false }]
  const client = {
    ...first.client,
    appStatus: () => Promise.resolve({ apps, message: null }),
    selectedApps: () => Promise.resolve([]),
    selectApps: () => Promise.reject(new Error('sizes are not asked of it')),
  }
  const second = { ...first, id: 'second', client, selectedAppIds: null } as typeof first
  sessions.persistentsOf = () => [first, second]
  await owner.post(`${path}/check`)
  await eventually(async () => (await states())['a'] === 'missing', 'the next one judges it')
})

test('without a session nothing is known; notifications hear of it, of builds and of the end', async () => {
  const { app, add, start, checked, owner, time, current, sizes, game, board } = await withStandIn()
  const news: { verdict: string; signedOut: string[]; builds: object[] }[] = []
  app.groups.prefill.onReadyNews((one) => news.push(one))
  await owner.put(path, { dueAtUtc: '2026-03-02T18:00:00Z' })
  await add('a')
  await eventually(() => news.at(-1)?.signedOut.length === 1, 'the platform is named')
  expect(news.at(-1)).toMatchObject({ verdict: 'unknown', signedOut: ['Battle.net'] })
  await start()
  current.add('a')
  await owner.post(`${path}/check`)
  await checked()
  expect((await game('a')).state).toBe('unknown')
  expect((await board()).allowedSeconds).toBe(30 * 3600)
  // Every hour by itself.
  current.delete('a')
  sizes.set('a', 12_000)
  await time.skip(hourMs)
  await time.advance(minuteMs)
  await eventually(() => news.at(-1)?.builds.length === 1, 'the build is noticed')
  const builds = [{ id: 'gamma a', name: 'Game a', bytes: 12_000, clients: 0 }]
  expect(news.at(-1)).toMatchObject({ signedOut: [], builds })
})

test('a check asks a few games at a time, with pauses, and for a few sizes', async () => {
  const { app, daemon, add, start, time, board, owner, sizes } = await withStandIn()
  const ids = Array.from({ length: 60 }, (_, index) => `g${index}`)
  for (const appId of ids) sizes.set(appId, 10)
  await add(...ids)
  await eventually(() => app.operations.active('prefillReadyCheck') === null, 'the check ends')
  await start()
  await owner.post(`${path}/check`)
  const asked = () =>
    daemon
      .commands('check-cache-status')
      .map(({ parameters }) => (JSON.parse(parameters['appIds'] ?? '[]') as string[]).length)
  for (const calls of [1, 2, 3]) {
    await eventually(() => asked().length === calls, `call ${calls} is made`)
    await time.advance(1000)
    expect(asked()).toHaveLength(calls)
    if (calls < 3) await time.advance(1000)
  }
  expect(asked()).toEqual([25, 25, 10])
  await eventually(async () => !(await board()).isChecking, 'the check ends')
  const sized = async () => (await board()).games.filter((one) => one.totalBytes !== null).length
  expect(await sized()).toBe(25)
  expect((await board()).missingBytes).toBeNull()
})

test('a game of Steam without known depots was never prefilled; one that is not sold is unavailable', async () => {
  const daemon = await daemonStandIn('alpha')
  daemon.state.isLoggedIn = true
  daemon.on('get-selected-apps', () => ({ success: true, data: [] }))
  const none = { downloadSize: 0, isUpToDate: false }
  const apps = [
    { appId: 440, name: 'TF2', downloadSize: 9000, isUpToDate: false },
    { appId: 7, name: 'Seven', ...none, isUnsupportedOs: true },
    { appId: 8, name: 'Eight', ...none, unavailableReason: 'Not owned' },
    { appId: 9, name: 'Nine', ...none, unavailableReason: 'Failed to calculate size: HTTP 429' },
  ]
  daemon.on('get-selected-apps-status', () => ({ success: true, data: { apps } }))
  const { owner, board } = await boardOf({ environment: daemon.environment })
  await owner.post('/api/system/prefill/persistent/start', { service: 'alpha' })
  const games = apps.map(({ appId, name }) => ({ platform: 'alpha', appId: String(appId), name }))
  await owner.post(`${path}/games`, { games })
  const shown = async () =>
    (await board()).games.map(({ appId, state, missingBytes, problem }) => [
      appId,
      state,
      missingBytes,
      problem,
    ])
  const expected = [
    ['8', 'unavailable', null, 'Not owned'],
    ['9', 'missing', null, 'Failed to calculate size: HTTP 429'],
    ['7', 'unavailable', null, 'The game does not exist for the chosen operating systems'],
    ['440', 'missing', 9000, null],
  ]
  await eventually(async () => Bun.deepEquals(await shown(), expected), 'the sizes are known')
  expect(daemon.commands('check-cache-status')).toEqual([])
  const systems = daemon.commands('get-selected-apps-status').map(({ parameters }) => parameters)
  expect(systems).toEqual([{ os: 'windows' }])
})
