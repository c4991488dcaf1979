import { expect, test } from 'bun:test'
import type { History, HistoryState, HistoryStatus } from '../../db/history/history.ts'
import { warmUpWhenReady } from './warm-up.ts'

/** A history that only changes state. */
function changingHistory() {
  const listeners: ((status: HistoryStatus) => void)[] = []
  // The rest is unused.
  const history = { onStatus: (listener) => void listeners.push(listener) } as Partial<History>
  const enter = (state: HistoryState) => {
    const status = { mode: 'embedded' as const, state, message: null, since: new Date(0) }
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
