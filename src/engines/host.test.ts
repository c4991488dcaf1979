import { afterEach, expect, test } from 'bun:test'
import { ManualTime } from '../../test/support/manual-time.ts'
import { quietLog } from '../../test/support/quiet-log.ts'
import { nicenessOf } from '../../test/support/niceness.ts'
import type { TestJobs } from '../../test/support/job-kinds.worker.ts'
import { ownThread } from './engine.ts'
import { Engine, EngineEnded, EngineSilent, type EngineOptions } from './host.ts'
import { failureOf } from '../../test/support/answers.ts'

const script = new URL('../../test/support/job-kinds.worker.ts', import.meta.url).href
const patience = { silentMs: 700, answerMs: 900 }
let engine: Engine<TestJobs>
afterEach(() => engine.stop())

type Open = NonNullable<EngineOptions<TestJobs, object>['open']>

/** An engine that is kept running, and how often its worker was opened. */
function keptEngine(open: Open) {
  const time = new ManualTime()
  const opened = { times: 0 }
  engine = new Engine<TestJobs>({
    name: 'kept',
    script,
    log: quietLog,
    timers: time,
    open(run) {
      opened.times++
      return open(run)
    },
    close: (run) => run('echo', 'bye'),
  })
  return { time, opened }
}

async function timed(question: Promise<unknown>): Promise<{ ms: number; error: unknown }> {
  const startedMs = performance.now()
  const error = await question.then(
    () => null,
    (reason: unknown) => reason,
  )
  return { ms: performance.now() - startedMs, error }
}

test('an unanswered query fails although the engine is busy with another job', async () => {
  engine = new Engine<TestJobs>({ name: 'sending', script, log: quietLog, patience })
  const cancel = new AbortController()
  const sending = engine.run('sendForever', null, { signal: cancel.signal })
  const unanswered = timed(engine.ask('never', null))
  expect(await engine.ask('echo', 'here')).toBe('here')
  const { ms, error } = await unanswered
  expect(error).toBeInstanceOf(EngineSilent)
  expect(ms).toBeLessThan(5000)
  // It responds: other queries work as before.
  expect(await engine.ask('echo', 'still here')).toBe('still here')
  cancel.abort()
  await sending
})

test('a silent engine fails its queries and refuses new ones until it responds', async () => {
  engine = new Engine<TestJobs>({ name: 'silent', script, log: quietLog, patience })
  expect(await engine.ask('echo', 'first')).toBe('first')
  const blocked = engine.run('block', 3000)
  await Bun.sleep(200)
  const [one, other] = await Promise.all([
    timed(engine.ask('echo', 'one')),
    timed(engine.ask('echo', 'other')),
  ])
  expect([one.error, other.error]).toEqual([expect.any(EngineSilent), expect.any(EngineSilent)])
  expect(Math.max(one.ms, other.ms)).toBeLessThan(2500)
  const next = await timed(engine.ask('echo', 'next'))
  expect(next.error).toBeInstanceOf(EngineSilent)
  expect(next.ms).toBeLessThan(300)
  await blocked
  expect(await engine.ask('echo', 'back')).toBe('back')
})

test('a background thread has a lower priority, the one that answers has not', async () => {
  engine = new Engine<TestJobs>({ name: 'patient', script, log: quietLog })
  const own = nicenessOf(ownThread())
  expect(await engine.run('niceness', null)).toBeGreaterThan(own)
  expect(nicenessOf(ownThread())).toBe(own)
})

test('a crashed worker is restarted with growing delays; jobs fail until then', async () => {
  const { time, opened } = keptEngine((run) => run('echo', 'open'))
  expect(await failureOf(engine.run('count', null))).toBeInstanceOf(EngineEnded)
  await engine.start()
  for (const [crashes, delayMs] of [500, 1000, 2000].entries()) {
    expect(await engine.run('count', null)).toBe(1)
    const failed = await failureOf(engine.run('crash', null))
    expect(failed).toBeInstanceOf(EngineEnded)
    expect(String(failed)).toContain('out of order')
    await time.advance(delayMs - 1)
    expect(await failureOf(engine.ask('count', null))).toEqual(failed)
    expect(opened.times).toBe(crashes + 1)
    await time.advance(1)
    expect(opened.times).toBe(crashes + 2)
  }
  expect(await engine.ask('count', null)).toBe(1)
})

test('a worker that cannot be opened is tried again, and its jobs wait for it', async () => {
  let isBroken = true
  const { time, opened } = keptEngine(async () => {
    if (isBroken) throw new Error('no disk')
    return Promise.resolve()
  })
  await engine.start()
  expect(String(await failureOf(engine.run('count', null)))).toContain('no disk')
  await time.advance(500)
  expect(opened.times).toBe(2)
  isBroken = false
  await time.advance(1000)
  expect(await engine.run('count', null)).toBe(1)
  expect(opened.times).toBe(3)
})

test('a hanging worker is replaced when a job sends nothing within its limit', async () => {
  const { time, opened } = keptEngine((run) => run('echo', 'open'))
  await engine.start()
  expect(await engine.run('count', null)).toBe(1)
  const limitMs = 1000
  const hanging = failureOf(engine.run('never', null, { limitMs }))
  await time.advance(limitMs - 1)
  expect(opened.times).toBe(1)
  await time.advance(1)
  expect(await hanging).toBeInstanceOf(EngineSilent)
  expect(opened.times).toBe(2)
  expect(await engine.run('count', null)).toBe(1)
})

test('a job that reports progress keeps its worker beyond the limit', async () => {
  const time = new ManualTime()
  engine = new Engine<TestJobs>({ name: 'busy', script, log: quietLog, timers: time })
  const cancel = new AbortController()
  let reports = 0
  const progress = () => {
    if (++reports === 4) cancel.abort()
    else void time.advance(900)
  }
  await engine.run('sendForever', null, { signal: cancel.signal, progress, limitMs: 1000 })
  expect(reports).toBeGreaterThanOrEqual(4)
  expect(time.pending).toBe(0)
})

test('an engine stopped during its start stays stopped', async () => {
  const { time, opened } = keptEngine((run) => run('never', null))
  const started = engine.start()
  await engine.stop()
  await started
  expect(time.pending).toBe(0)
  expect(opened.times).toBe(1)
  expect(await failureOf(engine.run('count', null))).toBeInstanceOf(EngineEnded)
})

test('an engine stopped before its worker was needed starts none', async () => {
  const gate = Promise.withResolvers<void>()
  const { promise: refused, resolve } = Promise.withResolvers<unknown>()
  keptEngine(async (run) => {
    await gate.promise
    resolve(await failureOf(run('echo', 'open')))
  })
  const started = engine.start()
  await engine.stop()
  gate.resolve()
  expect(await refused).toBeInstanceOf(EngineEnded)
  await started
})

test('a restart during the start opens one new worker', async () => {
  const first = Promise.withResolvers<void>()
  const { time, opened } = keptEngine(async (run) => {
    if (opened.times === 1) await first.promise
    return run('count', null)
  })
  const started = engine.start()
  await engine.restart()
  first.resolve()
  await started
  expect(opened.times).toBe(2)
  expect(time.pending).toBe(0)
  expect(await engine.run('count', null)).toBe(2)
})

test('an idle worker is ended, and the next job starts another one', async () => {
  const time = new ManualTime()
  const options = { name: 'idle', script, log: quietLog, timers: time, idleMs: 1000 }
  engine = new Engine<TestJobs>(options)
  expect(await engine.run('count', null)).toBe(1)
  await time.advance(999)
  expect(await engine.run('count', null)).toBe(2)
  await time.advance(1000)
  expect(await engine.run('count', null)).toBe(1)
})

test('a job that was asked for before its worker is ended fails, and begins in no other one', async () => {
  engine = new Engine<TestJobs>({ name: 'ended', script, log: quietLog })
  const lost = failureOf(engine.run('never', null))
  engine.kill()
  expect(await lost).toBeInstanceOf(EngineEnded)
  expect(await engine.run('count', null)).toBe(1)
})
