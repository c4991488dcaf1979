import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { practiceGame, practiceOrigin } from '../../../test/support/practice-origin.ts'
import { testDaemon } from '../../../test/support/test-daemon.ts'
import { testServer } from '../../../test/support/test-server.ts'
import { CacheNotFound } from './content/cache-address.ts'

const games = [
  practiceGame('a', { objects: 3, bytes: 1000 }),
  practiceGame('b', { objects: 2, bytes: 5000, minutes: 3 }),
]

async function fixture(options: Partial<Parameters<typeof testDaemon>[0]> = {}) {
  const origin = practiceOrigin({ games: structuredClone(games) })
  const environment = { PREFILL_PRACTICE_ORIGIN: origin.url }
  const daemon = await testDaemon({ cachePort: origin.port, environment, ...options })
  return { origin, ...daemon }
}

/** Holds back every request for content until released. */
function gate(origin: ReturnType<typeof practiceOrigin>) {
  const opened = Promise.withResolvers<void>()
  origin.intercept(() => opened.promise.then(() => undefined))
  return () => {
    origin.intercept(() => undefined)
    opened.resolve()
  }
}

test('a run reports each app, then exactly one end, with the bytes that really came', async () => {
  const { client } = await fixture()
  const answer = await client.ask('prefill', { all: 'true' })
  expect(answer).toMatchObject({ success: true, message: 'Prefill started' })
  const last = await client.ended()
  expect(last).toMatchObject({
    state: 'completed',
    totalApps: 2,
    updatedApps: 2,
    alreadyUpToDate: 0,
    failedApps: 0,
    totalBytesTransferred: 13_000,
    missBytes: 13_000,
    hitBytes: 0,
  })
  expect(last.totalTimeSeconds).toBeGreaterThan(0)
  const apps = client.progress().filter(({ state }) => state === 'app_completed')
  expect(apps).toMatchObject([
    { currentAppId: 'a', result: 'Success', totalBytes: 3000, bytesDownloaded: 3000 },
    { currentAppId: 'b', result: 'Success', totalBytes: 10_000, percentComplete: 100 },
  ])
  expect(client.progress()[0]).toMatchObject({ state: 'preparing', currentAppName: 'Game a' })
  await client.ask('status')
  expect(client.terminals()).toHaveLength(1)
})

test('what was downloaded is up to date until its version changes, unless forced', async () => {
  const { client, origin, folder } = await fixture()
  await client.ask('set-selected-apps', { appIds: '["a"]' })
  await client.ask('prefill')
  expect(await client.ended(1)).toMatchObject({ updatedApps: 1 })
  await client.ask('prefill')
  expect(await client.ended(2)).toMatchObject({ updatedApps: 0, alreadyUpToDate: 1 })
  const cached = client.progress().find(({ state }) => state === 'already_cached')
  expect(cached).toMatchObject({ result: 'AlreadyUpToDate', totalBytes: 3000 })
  expect(origin.content).toHaveLength(3)
  await client.ask('prefill', { force: 'true' })
  expect(await client.ended(3)).toMatchObject({ updatedApps: 1 })
  expect(origin.content).toHaveLength(6)
  Object.assign(origin.state.games[0] ?? {}, { version: '2' })
  await client.ask('prefill')
  expect(await client.ended(4)).toMatchObject({ updatedApps: 1 })
  expect(readdirSync(join(folder, 'config', 'cache'))).toEqual([])
})

test('an app that fails is counted, and the next one goes on', async () => {
  const { client, origin } = await fixture()
  origin.intercept((path) =>
    path.includes('/a/1') ? new Response('gone', { status: 404 }) : undefined,
  )
  await client.ask('prefill', { all: 'true' })
  expect(await client.ended()).toMatchObject({
    state: 'completed',
    updatedApps: 1,
    failedApps: 1,
    totalBytesTransferred: 12_000,
  })
  const failed = client.progress().find(({ result }) => result === 'Failed')
  expect(failed).toMatchObject({ currentAppId: 'a', bytesDownloaded: 0 })
  expect(failed?.errorMessage).toContain(
    '1 requests failed; the first: the cache answered with status 404',
  )
  // What came is reported before the end, however short the run was.
  const ofA = client.progress().filter(({ currentAppId }) => currentAppId === 'a')
  expect(ofA.at(-2)).toMatchObject({ state: 'downloading', bytesDownloaded: 2000 })
})

test('an app of which the cache holds something else is not recorded as up to date', async () => {
  const { client, origin } = await fixture()
  const page = () => new Response('<html>', { headers: { 'content-type': 'text/html' } })
  origin.intercept((path) => (path.includes('/a/1') ? page() : undefined))
  await client.ask('prefill', { all: 'true' })
  expect(await client.ended(1)).toMatchObject({ updatedApps: 1, failedApps: 1 })
  const failed = client.progress().find(({ result }) => result === 'Failed')
  const reason = '6 bytes of text/html instead of 1000: http://content.example.test/size/1000/a/1'
  expect(failed?.errorMessage).toBe(`1 requests failed; the first: ${reason}`)
  origin.intercept(() => undefined)
  origin.content.length = 0
  await client.ask('prefill', { all: 'true' })
  expect(await client.ended(2)).toMatchObject({ updatedApps: 1, alreadyUpToDate: 1 })
  expect(origin.content.map(({ path }) => path)).toEqual(['/size/1000/a/1'])
})

test('a run says since when it waits for the cache, and goes on when that is back', async () => {
  const { client, origin } = await fixture()
  origin.intercept(() => new Response('', { status: 502 }))
  const beforeSeconds = Math.floor(Date.now() / 1000)
  await client.ask('prefill', { all: 'true' })
  const waiting = () => client.progress().find(({ state }) => state === 'waiting-for-cache')
  await eventually(() => waiting() !== undefined, 'the run says that it waits')
  expect(waiting()?.waitingSince).toBeGreaterThanOrEqual(beforeSeconds)
  expect(waiting()).toMatchObject({ currentAppId: 'a', totalBytes: 3000 })
  expect(waiting()?.message).toContain('The cache has answered with errors only since 20')
  origin.intercept(() => undefined)
  expect(await client.ended()).toMatchObject({ state: 'completed', updatedApps: 2, failedApps: 0 })
  const states = client.progress().map(({ state }) => state)
  expect(states.indexOf('downloading')).toBeLessThan(states.indexOf('waiting-for-cache'))
})

test('a run that waits for the cache is cancelled at once', async () => {
  const { client, origin } = await fixture({ patience: { firstPauseMs: 600_000 } })
  origin.intercept(() => new Response('', { status: 429 }))
  await client.ask('prefill', { all: 'true' })
  const isWaiting = () => client.progress().some(({ state }) => state === 'waiting-for-cache')
  await eventually(isWaiting, 'the run says that it waits')
  expect((await client.ask('cancel-prefill')).message).toBe('Prefill cancelled')
  expect(client.terminals()).toMatchObject([{ state: 'cancelled' }])
})

test('a cache that goes away for too long ends the run, whatever else it would do', async () => {
  const patience = { unreachableMs: 50, longestPauseMs: 10 }
  const { client, origin } = await fixture({ patience, cachePort: 9 })
  await client.ask('prefill', { all: 'true' })
  const last = await client.ended()
  expect(last).toMatchObject({ state: 'error', totalBytesTransferred: 0 })
  expect(last.errorMessage).toContain('The cache has not answered since 20')
  expect(origin.content).toEqual([])
})

test('after three games in a row that got errors only the run ends, with the reason', async () => {
  const { client, origin } = await fixture({ patience: { failingMs: 50 } })
  origin.state.games = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => practiceGame(id))
  origin.intercept((path) => (path.includes('/c/') ? undefined : new Response('', { status: 503 })))
  const products = JSON.stringify(['a', 'b', 'c', 'd', 'nothing', 'e', 'f', 'a'])
  await client.ask('prefill', { products })
  const last = await client.ended()
  expect(last).toMatchObject({ state: 'error', totalBytesTransferred: 3000 })
  expect(last.errorMessage).toMatch(/^3 games in a row failed\. .*errors only since .*status 503/)
  const ends = client.progress().filter(({ state }) => state === 'app_completed')
  expect(ends.map(({ currentAppId: id, result }) => `${id} ${result}`)).toEqual([
    'a Failed',
    'b Failed',
    'c Success',
    'd Failed',
    'nothing Failed',
    'e Failed',
    'f Failed',
  ])
})

test('an unknown app fails alone; an unavailable one is neither failed nor updated', async () => {
  const { client, origin } = await fixture()
  origin.state.games.push(practiceGame('c', { unavailable: 'Not for this system' }))
  await client.ask('prefill', { products: '["nothing","c","a"]' })
  expect(await client.ended()).toMatchObject({ totalApps: 3, updatedApps: 1, failedApps: 1 })
  const results = client.progress().flatMap(({ result }) => result ?? [])
  expect(results).toEqual(['Failed', 'NoDepotsToDownload', 'Success'])
})

test('a run without apps says so', async () => {
  const { client } = await fixture()
  await client.ask('prefill')
  const expected = { state: 'completed', totalApps: 0, message: 'No apps are selected' }
  expect(await client.ended()).toMatchObject(expected)
})

test('filters choose the apps of a run', async () => {
  const { client, origin } = await fixture()
  await client.ask('prefill', { recent: 'true' })
  expect(await client.ended(1)).toMatchObject({ totalApps: 1 })
  expect(origin.content.every(({ path }) => path.includes('/b/'))).toBe(true)
  await client.ask('prefill', { top: '1', force: 'true' })
  await client.ended(2)
  expect(client.progress().findLast(({ result }) => result !== null)?.currentAppId).toBe('a')
})

test('a cancelled run ends once, is answered after its end, and the next one starts', async () => {
  const { client, origin } = await fixture()
  const release = gate(origin)
  await client.ask('prefill', { all: 'true' })
  await eventually(() => origin.content.length > 0, 'requests are under way')
  const second = await client.ask('prefill', { all: 'true' })
  expect(second).toMatchObject({ success: false, error: 'A prefill is already in progress' })
  const answer = await client.ask('cancel-prefill')
  expect(answer).toMatchObject({ success: true, message: 'Prefill cancelled' })
  expect(client.terminals()).toMatchObject([{ state: 'cancelled', message: 'Prefill cancelled' }])
  expect((await client.ask('cancel-prefill')).message).toBe('No prefill in progress')
  release()
  await client.ask('prefill', { all: 'true' })
  expect(await client.ended(2)).toMatchObject({ state: 'completed', updatedApps: 2 })
  expect(client.terminals()).toHaveLength(2)
})

test('after a cancel only what is missing is requested', async () => {
  const { client, origin } = await fixture()
  origin.state.games = [practiceGame('big', { objects: 40 })]
  const held = Promise.withResolvers<void>()
  origin.intercept((path) =>
    Number(path.split('/').at(-1)) < 20 ? undefined : held.promise.then(() => undefined),
  )
  await client.ask('prefill', { all: 'true' })
  await eventually(() => origin.content.length >= 28, 'the first half is done')
  await client.ask('cancel-prefill')
  expect((await client.ask('get-cache-info')).data).toMatchObject({ fileCount: 1 })
  origin.intercept(() => undefined)
  held.resolve()
  origin.content.length = 0
  await client.ask('prefill', { all: 'true' })
  const last = await client.ended(2)
  expect(last).toMatchObject({ updatedApps: 1, totalBytesTransferred: 20_000 })
  const requested = new Set(origin.content.map(({ path }) => Number(path.split('/').at(-1))))
  expect(requested).toEqual(new Set(Array.from({ length: 20 }, (_, index) => index + 20)))
  const done = client.progress().findLast(({ state }) => state === 'app_completed')
  expect(done).toMatchObject({ totalBytes: 40_000 })
})

test('without a cache the run ends with an error', async () => {
  const { client } = await fixture({ cache: () => Promise.reject(new CacheNotFound('no cache')) })
  await client.ask('prefill', { products: '["a","b"]' })
  expect(await client.ended()).toMatchObject({ state: 'error', errorMessage: 'no cache' })
  expect(client.terminals()).toHaveLength(1)
})

test('the run goes on when its client leaves, and the next client sees it', async () => {
  const { client, connect, origin } = await fixture()
  const release = gate(origin)
  await client.ask('prefill', { all: 'true' })
  client.close()
  const next = await connect()
  expect((await next.ask('prefill', {})).error).toBe('A prefill is already in progress')
  release()
  expect(await next.ended()).toMatchObject({ state: 'completed', updatedApps: 2 })
})

test('control commands are answered while others wait', async () => {
  const { client, origin } = await fixture()
  const listing = Promise.withResolvers<void>()
  const answered = testServer(() => listing.promise.then(() => Response.json(origin.state)))
  const slow = await testDaemon({
    cachePort: origin.port,
    environment: { PREFILL_PRACTICE_ORIGIN: answered.url },
  })
  const games = [1, 2, 3, 4, 5, 6].map(() => slow.client.ask('get-owned-games'))
  expect((await slow.client.ask('status')).success).toBe(true)
  expect((await slow.client.ask('cancel-prefill')).message).toBe('No prefill in progress')
  expect((await slow.client.ask('set-selected-apps', { appIds: '["a"]' })).success).toBe(true)
  listing.resolve()
  expect((await games[0])?.success).toBe(true)
  client.close()
})

test('the bandwidth budget can be limited and paused while a run goes on', async () => {
  const { client, origin } = await fixture()
  origin.state.games = [practiceGame('big', { objects: 20, bytes: 50_000 })]
  expect((await client.ask('set-bandwidth', { paused: 'maybe' })).success).toBe(false)
  await client.ask('set-bandwidth', { bytesPerSecond: '1' })
  await client.ask('prefill', { all: 'true' })
  await eventually(() => client.progress().some((one) => one.bytesDownloaded > 0), 'first bytes')
  await client.ask('set-bandwidth', { bytesPerSecond: '0', paused: 'true' })
  await eventually(() => client.progress().at(-1)?.isPaused === true, 'the pause is reported')
  expect(client.progress().at(-1)).toMatchObject({ state: 'downloading' })
  expect(origin.content.length).toBeLessThanOrEqual(8)
  const startedMs = performance.now()
  await client.ask('set-bandwidth', { paused: 'false', bytesPerSecond: '1000000' })
  const last = await client.ended()
  expect(last).toMatchObject({ totalBytesTransferred: 1_000_000, isPaused: false })
  // A megabyte less what came before the pause and the burst.
  expect(performance.now() - startedMs).toBeGreaterThan(200)
})

test('clear-cache deletes only journals', async () => {
  const { client, folder } = await fixture()
  const cache = join(folder, 'config', 'cache')
  await Bun.write(join(cache, `${'0'.repeat(32)}.journal`), '12345678')
  await Bun.write(join(cache, 'mine.txt'), 'kept')
  expect((await client.ask('clear-cache')).data).toMatchObject({ fileCount: 1, bytesCleared: 8 })
  expect(readdirSync(cache)).toEqual(['mine.txt'])
})

test('shutdown cancels the run and leaves the daemon running', async () => {
  const { client, origin } = await fixture()
  gate(origin)
  await client.ask('prefill', { all: 'true' })
  expect((await client.ask('shutdown')).message).toBe('Shutdown complete')
  expect(client.terminals()).toMatchObject([{ state: 'cancelled' }])
  expect((await client.ask('status')).success).toBe(true)
})

test('stopping the daemon ends the run with its event', async () => {
  const { client, origin, stop } = await fixture()
  gate(origin)
  await client.ask('prefill', { all: 'true' })
  await eventually(() => origin.content.length > 0, 'requests are under way')
  await stop()
  await eventually(client.isClosed, 'the connection is closed')
  expect(client.terminals()).toMatchObject([{ state: 'cancelled' }])
})
