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

const minuteMs = 60_000

interface Entry {
  service: ScheduledService
  /** When the last run began, in elapsed time. */
  sinceMs: number
  /** Replaces the interval: the first run, or another try. */
  earlyMs: number | null
  isRunning: boolean
}

/** Infinity: never. */
function dueMsOf({ service, sinceMs, earlyMs }: Entry): number {
  const { intervalHours } = service
  const hours = typeof intervalHours === 'number' ? intervalHours : intervalHours()
  if (hours === 0) return Infinity
  return earlyMs ?? sinceMs + hours * hourMs
}

/** `nowMs` in elapsed time. */
function entryFor(
  service: ScheduledService,
  { lastAt, now, nowMs }: { lastAt: Date | null; now: Date; nowMs: number },
): Entry {
  // A last run in the future, caused by a clock that was set back, counts as just now.
  const ageMs = Math.max(0, now.getTime() - (lastAt ?? now).getTime())
  const { runOnStartup, firstRunMinutes } = service
  const isFirst = lastAt === null && firstRunMinutes !== undefined
  const firstMs = isFirst ? nowMs + firstRunMinutes * minuteMs : null
  const earlyMs = runOnStartup ? -Infinity : firstMs
  return { service, sinceMs: nowMs - ageMs, earlyMs, isRunning: false }
}

function storedRun({ db }: StateDatabase, serviceKey: string): Date | null {
  const rows = db.select().from(schedule).all()
  return rows.find((row) => row.serviceKey === serviceKey)?.lastRunAt ?? null
}

function storeRun({ db }: StateDatabase, serviceKey: string, lastRunAt: Date): void {
  db.insert(schedule)
    .values({ serviceKey, lastRunAt })
    .onConflictDoUpdate({ target: schedule.serviceKey, set: { lastRunAt } })
    .run()
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

  const lastRunAt = (serviceKey: string) => storedRun(state, serviceKey)

  const entryOf = (serviceKey: string) =>
    entries.find(({ service }) => service.serviceKey === serviceKey)

  function noteRun(serviceKey: string): void {
    storeRun(state, serviceKey, clock.now())
    const entry = entryOf(serviceKey)
    if (entry !== undefined) Object.assign(entry, { sinceMs: clock.elapsedMs(), earlyMs: null })
  }

  async function begin(entry: Entry, trigger: Trigger): Promise<void> {
    const { service } = entry
    entry.isRunning = true
    try {
      noteRun(service.serviceKey)
      await service.run(trigger)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ service: service.serviceKey, reason }, 'a scheduled run failed')
      entry.earlyMs = clock.elapsedMs() + retryMs
    } finally {
      entry.isRunning = false
    }
  }

  function checkDue(): void {
    if (isStopped) return
    const nowMs = clock.elapsedMs()
    const isSetUp = settings.get('setup.isCompleted')
    for (const entry of entries) {
      const dueMs = dueMsOf(entry)
      const mayRun = !entry.isRunning && (isSetUp || entry.service.runsBeforeSetup === true)
      if (mayRun && dueMs <= nowMs) {
        void begin(entry, dueMs === -Infinity ? 'startup' : 'interval')
      }
    }
    stopChecking = timers.after(checkMs, checkDue)
  }

  return {
    register(service) {
      const lastAt = lastRunAt(service.serviceKey)
      entries.push(entryFor(service, { lastAt, now: clock.now(), nowMs: clock.elapsedMs() }))
    },
    noteRun,
    lastRunAt,
    nextRunMs(serviceKey) {
      const entry = entryOf(serviceKey)
      const dueMs = entry === undefined ? Infinity : dueMsOf(entry)
      return dueMs === Infinity ? null : Math.max(0, dueMs - clock.elapsedMs())
    },
    start: () => void (stopChecking ??= timers.after(0, checkDue)),
    stop() {
      isStopped = true
      stopChecking?.()
    },
  }
}
