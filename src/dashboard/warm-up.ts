import type { History } from '../../db/history/history.ts'

/**
 * Runs a query whenever the history becomes ready, so that the first visitor does not pay for what
 * only the first query costs: connections, catalogues, plans, cold code. Nothing waits for it, and
 * failures are ignored.
 */
export function warmUpWhenReady(history: History, ask: () => Promise<unknown>): void {
  history.onStatus(({ state }) => {
    if (state === 'ready') void ask().catch(() => {})
  })
}
