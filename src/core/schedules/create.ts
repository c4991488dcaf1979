import type { StateDatabase } from '../../../db/state/open.ts'
import { schedule } from '../../../db/state/schema/schedules.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { systemTimers, type Timers } from '../lib/timers.ts'
import type { Settings } from '../settings/settings.ts'
import type { ScheduledService, Schedules, Trigger } from './contract.ts'

const hourMs = 3_600_000
/** A failed run is retried after this long. */
const retryMs = 60_000
/** How often due runs are checked. */
const checkMs = 5_000

interface Entry {
  service: ScheduledService
  dueMs: number
  isRunning: boolean
}

/** Runs registered services on schedule. The time of each last run is in `state.sqlite`. */
export function createSchedules(parts: {
  state: StateDatabase
  settings: Settings
  clock: Clock
  log: Logger
  timers?: Timers
}): Schedules {
  const { state, settings, clock, log, timers = systemTimers } = parts
  const entries: Entry[] = []
  let stopChecking: (() => void) | null = null
  let isStopped = false

  function lastRunMs(serviceKey: string): number | null {
    const rows = state.db.select().from(schedule).all()
    return rows.find((row) => row.serviceKey === serviceKey)?.lastRunAt.getTime() ?? null
  }

  function noteRun(serviceKey: string): void {
    const lastRunAt = clock.now()
    state.db
      .insert(schedule)
      .values({ serviceKey, lastRunAt })
      .onConflictDoUpdate({ target: schedule.serviceKey, set: { lastRunAt } })
      .run()
  }

  async function begin(entry: Entry, trigger: Trigger): Promise<void> {
    const { service } = entry
    entry.isRunning = true
    try {
      noteRun(service.serviceKey)
      entry.dueMs = clock.elapsedMs() + service.intervalHours * hourMs
      await service.run(trigger)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ service: service.serviceKey, reason }, 'a scheduled run failed')
      entry.dueMs = clock.elapsedMs() + retryMs
    } finally {
      entry.isRunning = false
    }
  }

  function checkDue(): void {
    if (isStopped) return
    const nowMs = clock.elapsedMs()
    if (settings.get('setup.isCompleted')) {
      for (const entry of entries) {
        if (!entry.isRunning && entry.dueMs <= nowMs) {
          void begin(entry, entry.dueMs === -Infinity ? 'startup' : 'interval')
        }
      }
    }
    stopChecking = timers.after(checkMs, checkDue)
  }

  return {
    register(service) {
      const intervalMs = service.intervalHours * hourMs
      const nowMs = clock.now().getTime()
      // A last run in the future, caused by a clock that was set back, counts as just now.
      const ageMs = Math.max(0, nowMs - (lastRunMs(service.serviceKey) ?? nowMs))
      const dueMs = service.runOnStartup ? -Infinity : clock.elapsedMs() + intervalMs - ageMs
      entries.push({ service, dueMs, isRunning: false })
    },
    start: () => void (stopChecking ??= timers.after(0, checkDue)),
    stop() {
      isStopped = true
      stopChecking?.()
    },
  }
}
