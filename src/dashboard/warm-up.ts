import type { History } from '../../db/history/history.ts'
import type { Schedules } from '../core/schedules/contract.ts'

const everyHours = 5 / 60

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

/** Runs the query on a schedule, so that its figures and plans stay in memory. */
export function scheduleWarmUp(
  { history, schedules }: { history: History; schedules: Pick<Schedules, 'register'> },
  ask: () => Promise<unknown>,
): void {
  schedules.register({
    serviceKey: 'dashboardCacheWarmer',
    intervalHours: everyHours,
    runOnStartup: true,
    card: { notificationMode: 'manual', operationType: null },
    async run() {
      if (history.status().state === 'ready') await ask()
    },
  })
}
