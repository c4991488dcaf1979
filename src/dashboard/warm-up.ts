import type { History } from '../../db/history/history.ts'
import type { Schedules } from '../core/schedules/contract.ts'
import { shownRun } from '../core/schedules/shown-run.ts'
import type { DashboardParts } from './parts.ts'

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
  {
    history,
    operations,
    schedules,
  }: Pick<DashboardParts, 'history' | 'operations'> & {
    schedules: Pick<Schedules, 'register'>
  },
  ask: () => Promise<unknown>,
): void {
  const type = 'dashboardCacheWarmer'
  const shown = { type, events: { prefix: 'DashboardCacheWarmer' } } as const
  schedules.register({
    serviceKey: type,
    intervalHours: everyHours,
    runOnStartup: true,
    card: { notificationMode: 'manual', operationType: type },
    run: shownRun(operations, shown, async () => {
      if (history.status().state === 'ready') await ask()
    }),
  })
}
