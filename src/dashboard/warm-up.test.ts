import { expect, test } from 'bun:test'
import type { History, HistoryState, HistoryStatus } from '../../db/history/history.ts'
import type { ScheduledService } from '../core/schedules/contract.ts'
import type { Operations } from '../core/operations/contract.ts'
import { scheduleWarmUp, warmUpWhenReady } from './warm-up.ts'

/** A history that only changes state. */
function changingHistory() {
  const listeners: ((status: HistoryStatus) => void)[] = []
  // The rest is unused.
  const history = { onStatus: (listener) => void listeners.push(listener) } as Partial<History>
  const enter = (state: HistoryState) => {
    const status = {
      mode: 'embedded' as const,
      state,
      message: null,
      since: new Date(0),
      replica: null,
    }
    for (const listener of listeners) listener(status)
  }
  return { history: history as History, enter }
}

test('runs a query whenever the history becomes ready, ignoring failures', async () => {
  const { history, enter } = changingHistory()
  let asked = 0
  warmUpWhenReady(history, () => {
    asked++
    return Promise.reject(new Error('away again'))
  })
  for (const state of ['starting', 'migrating', 'ready', 'unavailable', 'ready'] as const) {
    enter(state)
  }
  await Promise.resolve()
  expect(asked).toBe(2)
})

test('runs the query on a schedule while the history is ready', async () => {
  const services: ScheduledService[] = []
  const state = { now: 'starting' as HistoryState }
  // The rest is unused.
  const history = { status: () => ({ state: state.now }) } as unknown as History
  let asked = 0
  const operations = {} as Operations
  const schedules = { register: (one: ScheduledService) => void services.push(one) }
  scheduleWarmUp({ history, operations, schedules }, () => {
    asked++
    return Promise.resolve()
  })
  const run = () => services[0]?.run('interval', { isSilent: true })
  await run()
  expect(asked).toBe(0)
  state.now = 'ready'
  await run()
  expect(asked).toBe(1)
})
