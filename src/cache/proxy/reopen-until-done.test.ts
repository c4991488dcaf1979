import { expect, test } from 'bun:test'
import { ManualTime } from '../../../test/support/manual-time.ts'
import { quietLog } from '../../../test/support/quiet-log.ts'
import type { ReopenOutcome } from '../../engines/proxy/contract.ts'
import { reopenUntilDone } from './reopen-until-done.ts'

/** A proxy that can be made to fail, and the log engine's reopen mark. */
function retryFixture(isEnabled = true) {
  const time = new ManualTime()
  const reported: string[] = []
  const state = { canSignal: false, attempts: 0 }
  const outcome = (isDone: boolean): ReopenOutcome => ({
    isEnabled,
    canReopen: isDone,
    way: null,
    target: null,
    hint: 'none',
    command: null,
    isDone,
    message: '',
    detail: null,
  })
  const proxy = {
    reopenLogs: () => {
      state.attempts++
      return Promise.resolve(outcome(state.canSignal))
    },
  }
  const logs = {
    logsReopened: (mark: string) => {
      reported.push(mark)
      return Promise.resolve()
    },
  }
  const reopen = reopenUntilDone({ proxy, logs, log: quietLog, timers: time, isEnabled })
  return { time, reported, state, reopen }
}

test('a failed attempt is repeated at growing intervals', async () => {
  const { time, reported, state, reopen } = retryFixture()
  reopen('one')
  await time.advance(9000)
  expect(state.attempts).toBe(1)
  await time.advance(1000)
  expect(state.attempts).toBe(2)
  await time.advance(19_000)
  expect(state.attempts).toBe(2)
  state.canSignal = true
  await time.advance(1000)
  expect(reported).toEqual(['one'])
  await time.advance(3_600_000)
  expect(state.attempts).toBe(3)
})

test('eventually every ten minutes, and for the newest change only', async () => {
  const { time, reported, state, reopen } = retryFixture()
  reopen('one')
  await time.advance(24 * 3_600_000)
  const before = state.attempts
  expect(before).toBeLessThan(155)
  await time.advance(600_000)
  expect(state.attempts).toBe(before + 1)
  reopen('two')
  state.canSignal = true
  await time.advance(600_000)
  expect(reported).toEqual(['two'])
})

test('when disabled, nothing is retried', async () => {
  const { time, state, reopen } = retryFixture(false)
  reopen('one')
  await time.advance(3_600_000)
  expect(state.attempts).toBe(1)
})
