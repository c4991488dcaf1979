import { expect, test } from 'bun:test'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { seededRandom, type Random } from '../../demo/random.ts'
import { progressOf, type Progress } from '../protocol/progress.ts'
import type { DaemonResponse } from '../protocol/envelopes.ts'
import { noRuns, step, type Run, type RunEffect, type RunEvent, type RunResult } from './run.ts'

const seeds = Array.from({ length: 100 }, (_, seed) => seed + 1)
const request = {
  all: true,
  recent: false,
  recentlyPurchased: false,
  top: null,
  force: false,
  operatingSystems: null,
  maxConcurrency: null,
  cache: null,
}
const answer = (success: boolean, text: string): DaemonResponse => ({
  kind: 'response',
  id: '1',
  success,
  message: success ? text : null,
  error: success ? null : text,
  data: null,
  requiresLogin: false,
})
const answers = [
  answer(true, 'Prefill started'),
  answer(true, 'Prefill complete'),
  answer(true, 'A prefill is already in progress'),
  answer(false, 'No space'),
]

function randomProgress(random: Random): Progress {
  const currentAppId = random.pick(['1', '2', '3', null])
  const bytesDownloaded = random.between(0, 9)
  return random.pick([
    progressOf({ state: 'preparing', currentAppId }),
    progressOf({ state: 'downloading', currentAppId, bytesDownloaded }),
    progressOf({ state: 'waiting-for-cache', currentAppId }),
    progressOf({ state: 'app_completed', currentAppId, result: 'Success', bytesDownloaded }),
    progressOf({ state: 'app_completed', currentAppId, result: 'Failed', errorMessage: 'no' }),
    progressOf({ state: 'already_cached', currentAppId }),
    progressOf({ state: random.pick(['completed', 'error', 'cancelled'] as const) }),
  ])
}

/** How an event ends a run; null: it does not. */
function endBy(event: RunEvent, isCancelling: boolean): RunResult['state'] | null {
  if (event.kind === 'lost') return 'failed'
  if (event.kind === 'cancel') return event.outcome?.state ?? null
  if (event.kind === 'waited' || event.kind === 'nothingToCancel') return 'cancelled'
  if (event.kind !== 'answered' && event.kind !== 'progress') return null
  if (isCancelling) return 'cancelled'
  if (event.kind === 'answered') {
    return event.answer.message === 'Prefill complete' ? 'completed' : 'failed'
  }
  const { state } = event.progress
  return state === 'completed' || state === 'cancelled' ? state : 'failed'
}

/** One session whose effects are noted, and checked against what was noted before. */
function fixture() {
  const time = new ManualTime()
  const slot = noRuns(false)
  const runs: Run[] = []
  const results = new Map<Run, RunResult>()
  const openGames = new Set<string>()
  const rows = { opened: 0, closed: 0 }
  let waiting: { run: Run; atMs: number } | null = null

  function note(effect: RunEffect): void {
    if ('run' in effect && effect.kind !== 'begun') expect(results.has(effect.run)).toBe(false)
    if (effect.kind === 'begun') {
      expect(runs).not.toContain(effect.run)
      runs.push(effect.run)
    } else if (effect.kind === 'gameOpened') {
      expect(openGames.size).toBe(0)
      openGames.add(effect.appId)
      rows.opened++
    } else if (effect.kind === 'gameClosed') {
      expect(openGames.delete(effect.appId)).toBe(true)
      rows.closed++
    } else if (effect.kind === 'wait') {
      waiting = { run: effect.run, atMs: time.elapsedMs() + effect.ms }
    } else if (effect.kind === 'ended') {
      expect(openGames.size).toBe(0)
      results.set(effect.run, effect.result)
    }
  }

  function take(event: RunEvent): RunEffect[] {
    const before = slot.run
    const isCancelling = before?.state === 'cancelling'
    const effects = step(slot, event, time)
    effects.forEach(note)
    // The run is over exactly when its end was reported, and began when that was.
    if (before !== null && slot.run !== before) expect(results.has(before)).toBe(true)
    if (slot.run !== null) expect(results.has(slot.run)).toBe(false)
    const ended = effects.find(({ kind }) => kind === 'ended')
    if (ended?.kind === 'ended')
      expect<string | null>(ended.result.state).toBe(endBy(event, isCancelling))
    return effects
  }

  /** Time passes, and the timer that was set last fires. */
  async function pass(ms: number): Promise<void> {
    await time.advance(ms)
    const due = waiting
    if (due === null || due.atMs > time.elapsedMs()) return
    waiting = null
    take({ kind: 'waited', run: due.run })
  }
  return { slot, take, pass, runs, results, rows }
}

function randomEvent(random: Random, run: Run | null): RunEvent {
  const errorMessage = 'lost'
  const start = { kind: 'start', request, schedule: null, cache: null } as const
  const events: RunEvent[] = [
    { ...start, ended: Promise.withResolvers() },
    { kind: 'found', known: null },
    { kind: 'paused', isPaused: random.pick([true, false]) },
    { kind: 'cancel' },
    { kind: 'cancel', outcome: { state: 'failed', errorMessage: 'stalled' } },
    { kind: 'lost', errorMessage },
  ]
  const ofRun: RunEvent[] =
    run === null
      ? []
      : [
          { kind: 'answered', run, answer: random.pick(answers) },
          { kind: 'lost', run, errorMessage },
          { kind: 'nothingToCancel', run },
          { kind: 'waited', run },
        ]
  const progress = Array.from({ length: 14 }, (): RunEvent => ({
    kind: 'progress',
    progress: randomProgress(random),
  }))
  return random.pick([...events, ...ofRun, ...progress])
}

test.each(seeds)('in any order the first end counts, once: seed %d', async (seed) => {
  const random = seededRandom(seed)
  const { slot, take, pass, runs, results, rows } = fixture()
  for (let count = 0; count < 80; count++) {
    // Also what concerns a run that is over.
    const known = random.pick([slot.run, ...runs])
    const event = randomEvent(random, known)
    const isStale = 'run' in event && event.run !== slot.run
    const shown = JSON.stringify(slot)
    const effects = take(event)
    if (isStale) expect([effects, JSON.stringify(slot)]).toEqual([[], shown])
    if (random.between(0, 3) === 0) await pass(random.between(1, 12_000))
  }
  expect(results.size).toBe(runs.length - (slot.run === null ? 0 : 1))
  take({ kind: 'lost', errorMessage: 'over' })
  expect(slot.run).toBeNull()
  expect(results.size).toBe(runs.length)
  expect(rows.opened).toBe(rows.closed)
})

test.each(seeds.slice(0, 20))(
  'a cancelled run ends whatever its daemon sends: seed %d',
  async (seed) => {
    const random = seededRandom(seed)
    const { slot, take, pass, results } = fixture()
    take({ kind: 'start', request, schedule: null, cache: null, ended: Promise.withResolvers() })
    take({ kind: 'cancel' })
    const [run] = [slot.run]
    for (let seconds = 0; seconds < 60; seconds++) {
      const progress = randomProgress(random)
      const isEnd = ['completed', 'error', 'cancelled'].includes(progress.state)
      if (!isEnd && random.between(0, 3) > 0) take({ kind: 'progress', progress })
      await pass(1000)
    }
    expect(slot.run).toBeNull()
    expect(run === null ? null : results.get(run)).toMatchObject({ state: 'cancelled' })
  },
)

const app = { currentAppId: '1', currentAppName: 'A', bytesDownloaded: 5, totalBytes: 9 }
const downloading = {
  kind: 'progress',
  progress: progressOf({ state: 'downloading', ...app }),
} as const
const completed = { kind: 'progress', progress: progressOf({ state: 'completed' }) } as const
const kinds = (effects: RunEffect[]) => effects.map(({ kind }) => kind)

test('the row of the open game is closed by the end of the run', () => {
  for (const [last, status] of [
    [completed, 'Completed'],
    [{ kind: 'lost', errorMessage: 'gone' }, 'Failed'],
    [{ kind: 'cancel', outcome: { state: 'cancelled', errorMessage: null } }, 'Cancelled'],
  ] as const) {
    const { take } = fixture()
    take({ kind: 'start', request, schedule: null, cache: null, ended: Promise.withResolvers() })
    take(downloading)
    const closed = take(last).find(({ kind }) => kind === 'gameClosed')
    expect(closed).toMatchObject({ appId: '1', end: { status, bytes: 5, totalBytes: 9 } })
  }
})

test('bytes of an earlier run that it continues are not those of a run', () => {
  for (const [totalBytesTransferred, bytes] of [
    [2, 2],
    // Not reported, as with an older image.
    [0, 5],
  ] as const) {
    const { slot, take, results } = fixture()
    take({ kind: 'start', request, schedule: null, cache: null, ended: Promise.withResolvers() })
    take({
      kind: 'progress',
      progress: progressOf({ state: 'app_completed', ...app, result: 'Success' }),
    })
    take({ kind: 'progress', progress: progressOf({ state: 'completed', totalBytesTransferred }) })
    expect([...results.values()]).toMatchObject([{ bytes }])
    expect(slot.totalBytesTransferred).toBe(bytes)
  }
})

test('an end that comes late is not taken for the next run’s', () => {
  const { slot, take } = fixture()
  const start = () =>
    take({ kind: 'start', request, schedule: null, cache: null, ended: Promise.withResolvers() })
  start()
  take({ kind: 'cancel', outcome: { state: 'failed', errorMessage: 'stalled' } })
  start()
  expect(take(completed)).toEqual([])
  expect(slot.run).not.toBeNull()
  expect(kinds(take(completed))).toEqual(['progress', 'ended'])
})

test('a run that waits for its cache is not silent', async () => {
  const { slot, take, pass } = fixture()
  take({ kind: 'start', request, schedule: null, cache: null, ended: Promise.withResolvers() })
  take({ kind: 'progress', progress: progressOf({ state: 'waiting-for-cache' }) })
  await pass(100_000)
  take({ kind: 'progress', progress: progressOf({ state: 'waiting-for-cache' }) })
  await pass(1000)
  expect(slot.run?.activeMs).toBe(new ManualTime().elapsedMs() + 100_000)
})
