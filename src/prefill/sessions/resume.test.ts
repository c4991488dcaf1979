import { expect, test } from 'bun:test'
import { daemonProcess } from '../../../test/support/daemon-process.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { practiceGame } from '../../../test/support/practice-origin.ts'
import {
  isAlive,
  persistentPath,
  prefillService,
  restartFixture,
} from '../../../test/support/prefill-service.ts'
import {
  outcome,
  runGames,
  runningIn,
  schedulesPath,
  shelfPath,
  shortly,
} from '../../../test/support/running-prefill.ts'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { HistoryEntry } from '../administration/model.ts'
import type { NamedSchedule } from '../scheduled/named-model.ts'
import type { ShelfRun } from '../shelf/model.ts'
import type { DaemonSession } from './model.ts'
import { progressOf } from '../protocol/progress.ts'
import { eventsOf } from './resume.ts'
import { noRuns, silentSeconds, step } from './run.ts'

const service = 'gamma'

const scheduleOf = async (larder: Awaited<ReturnType<typeof prefillService>>) =>
  (await larder.call<NamedSchedule[]>('GET', schedulesPath)).find(({ id }) => id === 'gamma')
/** Its failed game is not missing in the bytes. */
const completed = {
  stage: 'completed',
  messageKey: 'completedPartly',
  messageValues: { failed: 1 },
  bytesDownloaded: 5000,
}

const isOver = (session: DaemonSession | undefined) => session?.lastPrefillStatus === 'completed'

test.each(runGames)(
  'what a daemon did after a kill in the game “%s” is recorded as if nothing had happened',
  async (game) => {
    const run = await runningIn(game)
    await run.waiting
    await eventually(
      async () => (await run.history(run.larder)).at(-1)?.appId === game,
      'the game has a row',
    )
    const { second, loadingMs } = await run.endAway()
    await eventually(async () => isOver(await run.session(second)), 'the end is known')
    const rows = await run.history(second)
    expect(rows.map(shortly)).toEqual(outcome)
    const times = rows.flatMap(({ startedAtUtc, completedAtUtc }) => [
      Date.parse(startedAtUtc),
      Date.parse(completedAtUtc ?? ''),
    ])
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times.at(-1)).toBeLessThan(loadingMs)
    expect(await run.session(second)).toMatchObject({
      isPrefilling: false,
      totalBytesTransferred: 5000,
    })
    expect(await run.jobs(second)).toEqual(['prefill completed'])
    expect(run.runs()).toHaveLength(1)

    await second.end('SIGKILL')
    const third = await run.again()
    await eventually(async () => (await run.session(third)) !== undefined, 'it is found again')
    expect((await run.history(third)).map(shortly)).toEqual(outcome)
  },
)

test('a run that goes on after a kill, in its first game, is that of its schedule', async () => {
  const run = await runningIn('first', 'schedule')
  await run.waiting
  const ids = await run.ids(run.larder)
  await run.larder.end('SIGKILL')
  const second = await run.again()
  await eventually(
    async () => (await scheduleOf(second))?.isRunning === true,
    'the schedule is shown as running',
  )
  expect(await run.jobs(second)).toEqual(['scheduledPrefill running'])
  expect(await run.session(second)).toMatchObject({ isPrefilling: true })
  run.goOn()
  await eventually(async () => (await scheduleOf(second))?.lastResult != null, 'it ends')
  expect((await scheduleOf(second))?.lastResult).toMatchObject(completed)
  const rows = await run.history(second)
  expect(rows.map(shortly)).toEqual(outcome)
  expect(await run.jobs(second)).toEqual(['scheduledPrefill completed'])
  expect(await run.ids(second)).toEqual(ids)
  expect(new Set(rows.map(({ scheduleName }) => scheduleName))).toEqual(new Set(['Default']))
  expect(run.runs()).toHaveLength(1)
})

test('a schedule whose run ended while the service was away has its result, time and next run', async () => {
  const run = await runningIn('last', 'schedule')
  await run.waiting
  const { second, loadingMs } = await run.endAway()
  await eventually(async () => (await scheduleOf(second))?.lastResult != null, 'it is noted')
  const { lastResult, lastRunUtc, nextRunUtc } = (await scheduleOf(second)) ?? {}
  expect(lastResult).toMatchObject(completed)
  expect(lastRunUtc).toBe(lastResult?.endedAtUtc ?? null)
  expect(Date.parse(lastRunUtc ?? '')).toBeLessThan(loadingMs)
  const intervalMs = Date.parse(nextRunUtc ?? '') - Date.parse(lastRunUtc ?? '')
  // Calculated in elapsed time, which is rounded.
  expect(Math.abs(intervalMs - 24 * 3_600_000)).toBeLessThan(100)
  expect(await run.jobs(second)).toEqual(['scheduledPrefill completed'])
  expect(run.runs()).toHaveLength(1)
})

test.each(['shelf', 'board'] as const)(
  'a run of the %s that goes on after a kill is its own, and the same operation',
  async (by) => {
    const run = await runningIn('first', by)
    const type = by === 'shelf' ? 'prefillShelf' : 'prefillReady'
    await run.waiting
    const ids = await run.ids(run.larder)
    await run.larder.end('SIGKILL')
    const second = await run.again()
    await eventually(async () => (await run.jobs(second)).length > 0, 'an operation shows the run')
    expect(await run.jobs(second)).toEqual([`${type} running`])
    expect(await run.ids(second)).toEqual(ids)
    const shelf = () => second.call<ShelfRun>('GET', `${shelfPath}/run`)
    const states = async () => (await shelf()).games.map(({ name, state }) => `${name} ${state}`)
    if (by === 'shelf') {
      const isShown = async () => (await states()).includes('Game first fetching')
      await eventually(isShown, 'the shelf shows it')
    }
    run.goOn()
    await eventually(async () => (await run.jobs(second))[0]?.endsWith('running') === false, 'end')
    expect(await run.ids(second)).toEqual(ids)
    const shown = ['Game broken failed', 'Game first done', 'Game last done']
    expect((await states()).toSorted()).toEqual(by === 'shelf' ? shown : [])
    // The board tries the game that failed once more.
    const more = by === 'board' ? ['broken Failed 1000'] : []
    const rows = (await run.history(second)).map(shortly)
    expect(rows.toSorted()).toEqual([...outcome, ...more].toSorted())
  },
)

/** The service and its daemon are killed in the middle of the last game. */
async function killedWithDaemon(by: 'hand' | 'schedule' = 'hand') {
  const run = await runningIn('last', by)
  await run.waiting
  await eventually(
    async () => (await run.history(run.larder)).at(-1)?.bytesDownloaded === 1000,
    'the first half of the last game has come',
  )
  await run.larder.end('SIGKILL')
  run.killDaemon()
  return run
}

test('a schedule says that its run was interrupted when its daemon was killed as well', async () => {
  const run = await killedWithDaemon('schedule')
  const beganMs = Date.now()
  const second = await run.again()
  await eventually(async () => (await scheduleOf(second))?.lastResult != null, 'it is noted')
  const { lastResult, lastRunUtc, isRunning } = (await scheduleOf(second)) ?? {}
  expect(lastResult).toMatchObject({
    stage: 'failed',
    messageKey: 'interrupted',
    bytesDownloaded: 4000,
  })
  expect(Date.parse(lastResult?.endedAtUtc ?? '')).toBeGreaterThanOrEqual(beganMs)
  expect([lastRunUtc, isRunning]).toEqual([null, false])
  expect(await run.jobs(second)).toEqual(['scheduledPrefill failed'])
})

test('a run at the cache of a node stays one, and is not silent since its last event', () => {
  const time = new ManualTime()
  const updatedAt = new Date(time.now().getTime() - 3_600_000).toISOString()
  const events = [progressOf({ state: 'downloading', currentAppId: '1', updatedAt })]
  const about = { mark: 'a', cache: '192.0.2.7:8080', startedAt: time.now(), schedule: null }
  const found = { ...about, events, rows: [] }
  const slot = noRuns(true)
  for (const [event, clock] of eventsOf(found, time)) step(slot, event, clock)
  expect(slot.run?.cache).toEqual({ host: '192.0.2.7', port: 8080 })
  expect(silentSeconds(slot, time.elapsedMs())).toBe(0)
})

test('a run whose end was recorded before a kill is left as it is', async () => {
  const run = await runningIn('last')
  run.goOn()
  await eventually(async () => isOver(await run.session(run.larder)), 'the run ends')
  const rows = await run.history(run.larder)
  await run.larder.end('SIGKILL')
  const second = await run.again()
  await eventually(async () => (await run.session(second)) !== undefined, 'it is found again')
  expect(await run.history(second)).toEqual(rows)
  expect(rows.map(shortly)).toEqual(outcome)
})

test('a run whose daemon was killed, too, keeps every byte that came and was interrupted', async () => {
  const run = await killedWithDaemon()
  const pid = run.pid()
  await eventually(() => !isAlive(pid), 'the daemon is gone')
  const second = await run.again()
  await eventually(() => run.runs().every(([, isOpen]) => isOpen === 0), 'the run is closed')
  const rows = await run.history(second)
  expect(rows.map(shortly)).toEqual([
    'first Completed 2000',
    'broken Failed 1000',
    'last Cancelled 1000',
  ])
  expect(rows.at(-1)?.errorMessage).toBe('Larder was restarted during this prefill')
})

test('a daemon that someone else runs goes on under the same session', async () => {
  const { root, origin } = restartFixture([practiceGame('own', { objects: 2 })])
  const environment = { PREFILL_PRACTICE_ORIGIN: origin.url, LANCACHE_IP: new URL(origin.url).host }
  const daemon = daemonProcess({ platform: service, folder: tempFolder('outside'), environment })
  const client = await daemon.connect()
  const held = Promise.withResolvers<undefined>()
  origin.intercept(async (path) => {
    if (path.includes('/own/1')) await held.promise
    return undefined
  })
  const transport = { Prefill__Gamma__Transport: `unix://${daemon.socketPath}` }
  const first = await prefillService(root, origin.url, transport)
  const { id } = await first.call<DaemonSession>('POST', `${persistentPath}/start`, { service })
  const history = async (from: typeof first) =>
    (await from.call<HistoryEntry[]>('GET', `/api/prefill-admin/sessions/${id}/history`)).map(
      shortly,
    )
  await first.call(
    'POST',
    `${persistentPath}/prefill`,
    { service, all: true },
    { Prefer: 'respond-async' },
  )
  await eventually(async () => (await history(first)).length === 1, 'the game has a row')
  await first.end('SIGKILL')
  held.resolve(undefined)
  await client.ended()

  const second = await prefillService(root, origin.url, transport)
  await eventually(
    async () => (await history(second))[0] === 'own Completed 2000',
    'it is recorded',
  )
  await second.end('SIGKILL')

  const third = await prefillService(root, origin.url, transport)
  // Answered after the events before it.
  const games = () => third.send('GET', `${persistentPath}/games?service=${service}`)
  await eventually(async () => (await games()).status === 200, 'the session is found again')
  await client.ask('prefill', { all: 'true', force: 'true' })
  await client.ended(2)
  await games()
  expect(await history(third)).toEqual(['own Completed 2000'])
})
