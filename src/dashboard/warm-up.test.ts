import { expect, test } from 'bun:test'
import type { History, HistoryState, HistoryStatus } from '../../db/history/history.ts'
import { warmUpWhenReady } from './warm-up.ts'

/** A history of which only the changes of state matter. */
function changingHistory() {
  const listeners: ((status: HistoryStatus) => void)[] = []
  // Nothing else of it is used.
  const history = { onStatus: (listener) => void listeners.push(listener) } as Partial<History>
  const enter = (state: HistoryState) => {
    const status = { mode: 'embedded' as const, state, message: null, since: new Date(0) }
    for (const listener of listeners) listener(status)
  }
  return { history: history as History, enter }
}

test('every time the history becomes ready it is asked, and a failure troubles nobody', async () => {
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
