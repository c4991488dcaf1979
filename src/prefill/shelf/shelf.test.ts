import { expect, test } from 'bun:test'
import { testApp } from '../../../test/support/app.ts'
import { daemonStandIn } from '../../../test/support/daemon-stand-in.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { household } from '../../../test/support/household.ts'
import { hubClient } from '../../../test/support/hub-client.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { practiceGame } from '../../../test/support/practice-origin.ts'
import { signInOwner, type Browser } from '../../../test/support/sign-in.ts'
import type { Shelf, ShelfPlan, ShelfRun } from './model.ts'

const path = '/api/ext/prefill/shelf'
const minuteMs = 60_000

type Id = Pick<Shelf['games'][number], 'platform' | 'appId'>

function caller(owner: Browser) {
  const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T
  const shelf = () => json<Shelf>(owner.get(path))
  const run = () => json<ShelfRun>(owner.get(`${path}/run`))
  const platform = async (name: string) =>
    (await shelf()).platforms.find((one) => one.platform === name)
  return {
    shelf,
    run,
    platform,
    plan: (games: Id[]) => json<ShelfPlan>(owner.post(`${path}/plan`, { games })),
    prefill: (games: Id[]) => owner.post(`${path}/run`, { games }),
    listed: (name: string) =>
      eventually(async () => (await platform(name))?.state === 'ready', `${name} lists its games`),
    over: () => eventually(async () => (await run()).operationId === null, 'the run is over'),
    states: async () =>
      Object.fromEntries((await run()).games.map((one) => [one.appId, one.state])),
  }
}

/** Two accounts of Steam; of Battle.net there is a game, and no session. */
async function shelfHousehold() {
  const home = await household(practiceGame('4'), practiceGame('4'))
  return { ...home, ...caller(home.owner) }
}

test('games of all accounts appear once; what is chosen goes to an account that owns it', async () => {
  const { owner, shelf, plan, prefill, over, run, listed, history, ada, bob, platform } =
    await shelfHousehold()
  expect(await platform('gamma')).toMatchObject({ state: 'off', games: 0 })
  expect(await platform('beta')).toMatchObject({ state: 'off', problem: null })
  expect((await owner.post(`${path}/open`)).status).toBe(200)
  await listed('gamma')
  await listed('alpha')
  const ids = (games: readonly Id[]) => games.map((game) => `${game.platform} ${game.appId}`)
  await eventually(async () => (await platform('alpha'))?.games === 4, 'both accounts are listed')
  const { games } = await shelf()
  expect(
    ids(games)
      .filter((id) => id.startsWith('alpha'))
      .toSorted(),
  ).toEqual(['alpha 1', 'alpha 2', 'alpha 3', 'alpha 4'])
  const chosen: Id[] = [
    { platform: 'alpha', appId: '1' },
    { platform: 'alpha', appId: '2' },
    { platform: 'gamma', appId: '4' },
  ]
  await eventually(async () => (await plan(chosen)).missingBytes === 9000, 'sizes are known')
  expect(await plan(chosen)).toMatchObject({ isAsking: false, knownBytes: 9000 })
  expect((await prefill(chosen)).status).toBe(202)
  await over()
  expect((await run()).games.map(({ state }) => state)).toEqual(['done', 'done', 'done'])
  expect(await history(ada.sessionId)).toEqual(['1 Completed'])
  expect(await history(bob.sessionId)).toEqual(['2 Completed'])
  const after = (await shelf()).games.filter(({ state }) => state === 'cached')
  expect(new Set(ids(after))).toEqual(new Set(ids(chosen)))
  // What nobody owns is not taken.
  expect((await prefill([{ platform: 'alpha', appId: '9' }])).status).toBe(404)
})

test('a new build is noticed without being asked for; its size is known before the click', async () => {
  const { origin, shelf, plan, prefill, over, listed } = await shelfHousehold()
  await listed('alpha')
  await eventually(async () => (await shelf()).games.length >= 4, 'both accounts are listed')
  const game: Id = { platform: 'alpha', appId: '3' }
  await prefill([game])
  await over()
  origin.state.games = origin.state.games.map((one) =>
    one.appId === '3' ? practiceGame('3', { version: '2', objects: 4 }) : one,
  )
  const stateOf = async () => (await shelf()).games.find(({ appId }) => appId === '3')
  await eventually(async () => (await stateOf())?.state === 'newBuild', 'the build is noticed')
  await eventually(async () => (await plan([game])).missingBytes === 4000, 'its size is known')
})

test('what fails says why, alone, and stays until it is dismissed', async () => {
  const { origin, owner, prefill, over, run, states, listed, shelf } = await shelfHousehold()
  await listed('alpha')
  await eventually(async () => (await shelf()).games.length >= 4, 'both accounts are listed')
  origin.intercept((wanted) =>
    wanted.includes('/1/') ? new Response('gone', { status: 404 }) : undefined,
  )
  await prefill([
    { platform: 'alpha', appId: '1' },
    { platform: 'alpha', appId: '2' },
  ])
  await over()
  expect(await states()).toEqual({ 1: 'failed', 2: 'done' })
  const failed = (await run()).games.find(({ state }) => state === 'failed')
  expect(failed?.problem).not.toBeNull()
  expect((await owner.delete(`${path}/run`)).status).toBe(200)
  expect(await states()).toEqual({})
})

/** A daemon of Battle.net whose games and runs the test gives. */
async function withStandIn() {
  const time = new ManualTime()
  const daemon = await daemonStandIn('gamma')
  const games = ['a', 'b'].map((appId) => ({ appId, name: `Game ${appId}` }))
  daemon.on('get-owned-games', () => ({ success: true, data: games }))
  daemon.on('check-cache-status', () => ({ success: true, data: { apps: [], message: 'ok' } }))
  const app = await testApp({ clock: time, timers: time, environment: daemon.environment })
  const owner = await signInOwner(app)
  const begun = (count: number) =>
    eventually(() => daemon.commands('prefill').length === count, `run ${count} begins`)
  const selected = () => daemon.commands('set-selected-apps').at(-1)?.parameters['appIds']
  return { app, owner, time, daemon, begun, selected, ...caller(owner) }
}

test('games that are chosen while a run goes on are added to it; a cancel takes back the rest', async () => {
  const { app, owner, daemon, prefill, begun, selected, states, over, listed } = await withStandIn()
  await owner.post(`${path}/open`)
  await listed('gamma')
  const [a, b] = [
    { platform: 'gamma', appId: 'a' },
    { platform: 'gamma', appId: 'b' },
  ] as const
  await prefill([a])
  await begun(1)
  daemon.progress({ state: 'downloading', currentAppId: 'a', bytesDownloaded: 5, totalBytes: 10 })
  await prefill([b])
  await eventually(async () => (await states())['a'] === 'fetching', 'the first game runs')
  expect(await states()).toEqual({ a: 'fetching', b: 'queued' })
  expect(app.operations.waiting()).toEqual([])
  daemon.progress({ state: 'app_completed', currentAppId: 'a', result: 'Success' })
  daemon.progress({ state: 'completed' })
  await begun(2)
  expect(selected()).toBe('["b"]')
  daemon.on('cancel-prefill', () => {
    daemon.progress({ state: 'cancelled' })
    return { success: true, message: 'Prefill cancelled' }
  })
  await owner.delete(`${path}/run`)
  await over()
  expect(await states()).toEqual({ a: 'done' })
})

test('games that are chosen while a run is cancelled wait for its end, and can be cancelled', async () => {
  const { app, owner, daemon, prefill, begun, selected, states, over, listed } = await withStandIn()
  await owner.post(`${path}/open`)
  await listed('gamma')
  await prefill([{ platform: 'gamma', appId: 'a' }])
  await begun(1)
  daemon.on('cancel-prefill', () => ({ success: true, message: 'Prefill cancelled' }))
  await owner.delete(`${path}/run`)
  const later: Id[] = [{ platform: 'gamma', appId: 'b' }]
  await prefill(later)
  expect([app.operations.waiting().length, await states()]).toEqual([1, { b: 'queued' }])
  await owner.delete(`${path}/run`)
  expect(app.operations.waiting()).toEqual([])
  await prefill(later)
  daemon.progress({ state: 'cancelled' })
  await begun(2)
  expect(selected()).toBe('["b"]')
  daemon.progress({ state: 'completed' })
  await over()
  expect(await states()).toEqual({ b: 'done' })
})

test('a session that the shelf has started ends when nobody reads or uses it', async () => {
  const { app, owner, time, listed, platform } = await withStandIn()
  const session = () => app.groups.prefill.sessions.persistentOf('gamma')
  const hub = await hubClient(app.listen(), owner, null)
  await owner.post(`${path}/open`)
  await listed('gamma')
  // Pages that show what sessions offer read it again.
  const news = () => hub.received<{ platform: string }>('PrefillAccountsUpdated')
  await eventually(() => news().some((one) => one.platform === 'gamma'), 'it is announced')
  // As it is while its daemon starts: a page would show a line for it that goes again.
  Object.assign(session() ?? {}, { authState: 'NotInitialized', games: null })
  expect(await platform('gamma')).toMatchObject({ state: 'listing' })
  Object.assign(session() ?? {}, { authState: 'Authenticated' })
  await listed('gamma')
  await time.advance(14 * minuteMs)
  expect(session()).not.toBeNull()
  await time.advance(3 * minuteMs)
  await eventually(() => session() === null, 'the session ends')
  // One that somebody else has started stays.
  await owner.post('/api/system/prefill/persistent/start', { service: 'gamma' })
  await owner.post(`${path}/open`)
  await listed('gamma')
  for (let at = 0; at < 20; at++) await time.advance(minuteMs)
  expect(session()).not.toBeNull()
})
