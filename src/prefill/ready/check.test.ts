import { expect, test } from 'bun:test'
import { eventually } from '../../../test/support/eventually.ts'
import { daemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import {
  boardOf,
  path,
  usualSchedule,
  withOrigin,
  withStandIn,
} from '../../../test/support/ready-board.ts'

const hourMs = 3_600_000
const minuteMs = 60_000

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

test('a game that one session cannot judge is asked of the next one', async () => {
  const { app, daemon, add, start, game, owner } = await withStandIn()
  const { sessions } = app.groups.prefill
  daemon.on('check-cache-status', () => ({ success: true, data: { apps: [], message: 'ok' } }))
  await start()
  await add('a')
  await eventually(async () => (await game('a')).problem !== null, 'it cannot be judged')
  expect(await game('a')).toMatchObject({ state: 'unknown', checkedAtUtc: null })
  const [first] = sessions.persistentsOf('gamma')
  if (first === undefined) throw new Error('there is no session')
  const apps = [{ appId: 'a', name: 'A', isUpToDate: false }]
  const size = { ...apps[0], downloadSize: 500, isUnsupportedOs: false, unavailableReason: null }
  const client = {
    ...first.client,
    appStatus: () => Promise.resolve({ apps, message: null }),
    selectedApps: () => Promise.resolve([]),
    selectApps: () => Promise.resolve(),
    selectedAppsStatus: () => Promise.resolve({ apps: [size], totalDownloadSize: 500 }),
  }
  const second = { ...first, id: 'second', client, selectedAppIds: null } as unknown as typeof first
  sessions.persistentsOf = () => [first, second]
  await owner.post(`${path}/check`)
  await eventually(async () => (await game('a')).totalBytes === 500, 'the next one judges it')
  expect(await game('a')).toMatchObject({ state: 'missing', problem: null })
  // The first account does not own what it can judge.
  daemon.on('check-cache-status', () => ({ success: true, data: { apps } }))
  const notOwned = { appId: 'b', downloadSize: 0, unavailableReason: 'Not owned' }
  daemon.on('get-selected-apps-status', () => ({ success: true, data: { apps: [notOwned] } }))
  apps.push({ appId: 'b', name: 'B', isUpToDate: false })
  size.appId = 'b'
  await add('b')
  await eventually(async () => (await game('b')).totalBytes === 500, 'the next one owns it')
  expect((await game('b')).state).toBe('missing')
  // What the second one has downloaded is current, whatever the first one says.
  client.appStatus = () =>
    Promise.resolve({ apps: [{ appId: 'a', name: 'A', isUpToDate: true }], message: null })
  await owner.post(`${path}/check`)
  await eventually(async () => (await game('a')).state !== 'missing', 'it is current')
  expect(await game('a')).toMatchObject({ newBuildAtUtc: null, totalBytes: 500 })
})

test('without a session nothing is known; notifications hear of it, of builds and of the end', async () => {
  const { app, add, start, checked, owner, time, current, sizes, game, board } = await withStandIn()
  const news: { verdict: string; signedOut: readonly string[]; builds: readonly object[] }[] = []
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

test('a game of Steam without known depots is missing, one that is not sold is unavailable', async () => {
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

test('a run that begins while sizes are asked for has its own games', async () => {
  const { app, daemon, add, start, owner, selected, runs, finish, checked } = await withStandIn()
  const held = Promise.withResolvers<undefined>()
  daemon.on('get-selected-apps-status', () => held.promise)
  let ofRun: string[] = []
  daemon.on('prefill', () => {
    ofRun = selected()
    return { success: true, message: 'Prefill started' }
  })
  await start()
  await owner.put('/api/ext/prefill/schedules/gamma', {
    ...usualSchedule,
    selectedAppIds: ['own'],
  })
  await add('a')
  const asked = () => daemon.commands('get-selected-apps-status').length === 1
  await eventually(asked, 'the size is asked for')
  expect(selected()).toEqual(['a'])
  const statuses = () => daemon.commands('status').length
  const before = statuses()
  await owner.post('/api/ext/prefill/schedules/gamma/run')
  await eventually(() => statuses() > before, 'the run is about to select its games')
  // It would have done so in the meantime.
  const [session] = app.groups.prefill.sessions.persistentsOf('gamma')
  for (let turn = 0; turn < 20; turn++) await session?.client.status()
  expect([runs(), selected()]).toEqual([0, ['a']])
  held.resolve(undefined)
  await eventually(() => runs() === 1, 'the run begins')
  expect([ofRun, selected()]).toEqual([['own'], ['own']])
  finish('own')
  await checked()
})
