import { expect, test } from 'bun:test'
import { eventually } from '../../../test/support/eventually.ts'
import { practiceGame, practiceOrigin } from '../../../test/support/practice-origin.ts'
import {
  boardOf,
  path,
  usualSchedule,
  withOrigin,
  withStandIn,
} from '../../../test/support/ready-board.ts'

const hourMs = 3_600_000
const minuteMs = 60_000

test('games are checked, fetched and ready; a new build is noticed with its size', async () => {
  const { origin, app, owner, board, game, states, add, start, checked } = await withOrigin()
  await add('a', 'b')
  expect(await states()).toEqual({ a: 'unknown', b: 'unknown' })
  const hint =
    'No running persistent session for Battle.net. Start it on the page Platform accounts.'
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
  await owner.put(path, { hours: { start: '23:40', end: '00:20' } })
  await owner.post(`${path}/make`)
  await ended()
  await time.skip(149 * minuteMs)
  await time.advance(minuteMs)
  expect([runs(), (await board()).isWanted]).toEqual([0, true])
  await time.advance(15 * minuteMs)
  await begun(1)
  daemon.on('cancel-prefill', () => {
    daemon.progress({ state: 'cancelled' })
    return { success: true, message: 'Prefill cancelled' }
  })
  // Over midnight.
  for (let at = 0; at < 34; at++) {
    daemon.progress({ state: 'downloading', currentAppId: 'a', bytesDownloaded: at + 1 })
    await time.skip(minuteMs)
  }
  expect(daemon.commands('cancel-prefill')).toEqual([])
  await time.advance(3 * minuteMs)
  await eventually(() => daemon.commands('cancel-prefill').length === 1, 'the run is cancelled')
  await ended()
  expect((await board()).isWanted).toBe(true)
  await time.skip(23 * hourMs)
  expect(runs()).toBe(1)
  await time.skip(20 * minuteMs)
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
  await time.skip(3 * hourMs)
  await time.advance(minuteMs)
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
    await time.skip((minutes - 2) * minuteMs)
    await time.advance(minuteMs)
    expect([runs(), (await board()).operationId]).toEqual([index + 1, null])
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
    ...usualSchedule,
  })
  await owner.post('/api/ext/prefill/schedules/gamma/run')
  expect(app.operations.waiting()).toMatchObject([{ operationType: 'scheduledPrefill' }])
  expect(runs()).toBe(1)
  finish('a')
  await begun(2)
  await ended()
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
