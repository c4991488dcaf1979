import type { History } from '../../db/history/history.ts'

/**
 * Asks for something whenever the history becomes ready, so that the first visitor does not wait
 * for what only the first question costs: connections, catalogues, plans, code that never ran.
 * Nobody waits for it, and a failure is the same as not having asked.
 */
export function warmUpWhenReady(history: History, ask: () => Promise<unknown>): void {
  history.onStatus(({ state }) => {
    if (state === 'ready') void ask().catch(() => {})
  })
}
