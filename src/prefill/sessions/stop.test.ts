import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { eventually } from '../../../test/support/eventually.ts'
import { outcome, runningIn, shelfPath, shortly } from '../../../test/support/running-prefill.ts'
import type { ReadyBoard } from '../ready/model.ts'
import type { ShelfRun } from '../shelf/model.ts'

const types = {
  hand: 'prefill',
  schedule: 'scheduledPrefill',
  shelf: 'prefillShelf',
  board: 'prefillReady',
} as const
const origins = ['hand', 'schedule', 'shelf', 'board'] as const

test.each(origins)(
  'a run of the %s goes on while the service is stopped, and afterwards as the same operation',
  async (by) => {
    const run = await runningIn('first', by, { where: 'outside' })
    await run.waiting
    const ids = await run.ids(run.larder)
    expect(ids).toHaveLength(1)
    await run.larder.end('SIGTERM')
    const second = await run.again()
    const states = async () => (await run.jobs(second)).join()
    await eventually(async () => (await run.session(second))?.isPrefilling === true, 'it is found')
    expect(await states()).toBe(`${types[by]} running`)
    expect(await run.ids(second)).toEqual(ids)
    run.goOn()
    await eventually(async () => !(await states()).endsWith('running'), 'it ends')
    expect(await run.ids(second)).toEqual(ids)
    const rows = (await run.history(second)).map(shortly)
    // The board tries the game that failed once more.
    expect(new Set(rows)).toEqual(new Set(outcome))
  },
)

test.each(origins)(
  'a run of the %s that waits for a clearing when the service is stopped again is the same operation',
  async (by) => {
    const run = await runningIn('first', by, { where: 'outside', picked: ['first', 'last'] })
    await run.waiting
    const ids = await run.ids(run.larder)
    await run.larder.end('SIGTERM')
    process.kill(run.pid(), 'SIGSTOP')
    const second = await run.again()
    second.clear()
    const isClearing = async () => (await run.jobs(second)).includes('cacheClearing running')
    await eventually(isClearing, 'the cache is being cleared')
    process.kill(run.pid(), 'SIGCONT')
    const states = async (from: typeof second) =>
      (await run.jobs(from)).filter((one) => one.startsWith(types[by])).join()
    const isWaiting = async () => (await states(second)) === `${types[by]} waiting`
    await eventually(isWaiting, 'its operation waits')
    await second.end('SIGTERM')
    const third = await run.again()
    const isRunning = async () => (await states(third)) === `${types[by]} running`
    await eventually(isRunning, 'it goes on')
    expect(await run.ids(third)).toEqual(expect.arrayContaining(ids) as string[])
    run.goOn()
    await eventually(async () => !(await states(third)).endsWith('running'), 'it ends')
    expect((await run.operations(third)).filter(({ type }) => type === types[by])).toHaveLength(1)
  },
)

test.each(origins)(
  'a run of the %s that is cancelled before its daemon is reached is cancelled there afterwards',
  async (by) => {
    const run = await runningIn('first', by)
    await run.waiting
    const ids = await run.ids(run.larder)
    await run.larder.end('SIGKILL')
    process.kill(run.pid(), 'SIGSTOP')
    const second = await run.again()
    expect(await run.jobs(second)).toEqual([`${types[by]} running`])
    const asked = await second.call<object>('POST', `/api/operations/${ids[0]}/cancel`)
    expect(asked).toMatchObject({ status: 'cancelling', alreadyFinished: false })
    process.kill(run.pid(), 'SIGCONT')
    const isOver = async () => (await run.jobs(second)).join() === `${types[by]} cancelled`
    await eventually(isOver, 'the run is cancelled, and nothing else begins')
    expect(await run.ids(second)).toEqual(ids)
    expect(await run.session(second)).toMatchObject({ isPrefilling: false })
    expect((await run.history(second)).map(shortly).at(-1)).toBe('first Cancelled 1000')
  },
)

test.each(['goes on', 'is killed', 'is stopped'])(
  'games that wait on the shelf outlive the service, and its daemon %s',
  async (daemon) => {
    const run = await runningIn('first', 'shelf', { picked: ['first'] })
    await run.waiting
    const ids = await run.ids(run.larder)
    const later = { games: [{ platform: 'gamma', appId: 'last' }] }
    await run.larder.send('POST', `${shelfPath}/run`, later)
    const isStopped = daemon === 'is stopped'
    await run.larder.end(isStopped ? 'SIGTERM' : 'SIGKILL')
    if (daemon === 'is killed') run.killDaemon()
    const second = await run.again()
    run.goOn()
    const isOver = async () => (await run.jobs(second))[0] === 'prefillShelf completed'
    await eventually(isOver, 'all games are fetched')
    const all = await run.ids(second)
    expect(isStopped ? all.slice(1) : all).toEqual(ids)
    const { games } = await second.call<ShelfRun>('GET', `${shelfPath}/run`)
    expect(games.map(({ name, state }) => `${name} ${state}`).toSorted()).toEqual([
      'Game first done',
      'Game last done',
    ])
    // Nothing is begun again.
    await second.end('SIGKILL')
    const third = await run.again()
    await eventually(async () => (await run.jobs(third)).length > 0, 'the history is there')
    expect(await run.ids(third)).toEqual(all)
  },
)

test('a run of the board that is found outside the allowed hours ends, and says that it waits', async () => {
  const run = await runningIn('first', 'board')
  await run.waiting
  await run.larder.end('SIGKILL')
  const inHours = (hours: number) =>
    new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
  using state = new Database(run.stateFile)
  state.run("update setting set value = json_set(value, '$.hours', json(?)) where key = ?", [
    JSON.stringify({ start: inHours(2), end: inHours(3) }),
    'prefill.ready',
  ])
  const second = await run.again()
  const last = async () => (await run.operations(second))[0]
  await eventually(async () => (await last())?.status === 'completed', 'the run ends')
  expect((await last())?.message).toBe('Begins when the allowed hours open')
  expect((await run.history(second)).map(shortly).at(-1)).toBe('first Cancelled 1000')
  expect(await second.call<ReadyBoard>('GET', '/api/ext/prefill/ready')).toMatchObject({
    isWanted: true,
    operationId: null,
  })
})
