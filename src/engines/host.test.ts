import { afterEach, expect, test } from 'bun:test'
import { quietLog } from '../../test/support/quiet-log.ts'
import { nicenessOf } from '../../test/support/niceness.ts'
import type { TestJobs } from '../../test/support/job-kinds.worker.ts'
import { ownThread } from './engine.ts'
import { Engine, EngineSilent } from './host.ts'

const script = new URL('../../test/support/job-kinds.worker.ts', import.meta.url).href
const patience = { silentMs: 700, answerMs: 900 }
let engine: Engine<TestJobs>
afterEach(() => engine.kill())

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
