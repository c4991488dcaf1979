import type { Clock } from '../lib/clock.ts'
import type { ScheduledService } from './contract.ts'
import type { CustomSchedule, ScheduleSettings } from '../settings/schedule-settings.ts'
import { isOpen, nextRun } from './custom.ts'

const minuteMs = 60_000
const hourMs = 3_600_000
/** A failed run is retried after this long; doubled by each failure of an operation. */
const retryMs = 60_000
/** Shorter intervals count as this one. */
const intervalMsMin = 60_000
/** A calendar run that is later than this, because the machine slept, is not made up for. */
const lateMsMax = 15 * 60_000
/** A change of the time of day by more than this moves the runs of the calendar. */
const clockStepMs = 60_000
/** The last moment whose year has the four digits of ISO 8601. */
const dateMsMax = Date.UTC(10_000, 0) - 1

/** When a service runs: intervals in elapsed time, calendar runs in the time of day. */
export interface Plan {
  service: ScheduledService
  /** The start of the process asks for a run. */
  isStartupDue: boolean
  /** When the last run began, in elapsed time. */
  sinceMs: number
  /** The first run ever, in elapsed time; null: after an interval. */
  firstMs: number | null
  /** Operations in a row that failed. */
  failures: number
  /** Another try of a failed run, in elapsed time; Infinity: none. */
  retryMs: number
  /** Time of day of the next calendar run. */
  nextAt: Date | null
}

const intervalMsOf = ({ intervalHours }: ScheduleSettings): number =>
  intervalHours > 0 ? Math.max(intervalHours * hourMs, intervalMsMin) : Infinity

/** Of the interval, in elapsed time. The interval is read each time: services may keep it. */
function dueMsOf(entry: Plan, settings: ScheduleSettings): number {
  if (settings.customSchedule !== null) return Infinity
  const intervalMs = intervalMsOf(settings)
  return intervalMs === Infinity ? Infinity : (entry.firstMs ?? entry.sinceMs + intervalMs)
}

/** The next calendar run; none for a stored schedule that is no longer valid. */
function calendarRun(custom: CustomSchedule, from: Date): Date | null {
  try {
    return nextRun(custom, from)
  } catch {
    return null
  }
}

export function createPlanner(clock: Clock) {
  const offsetMs = () => clock.now().getTime() - clock.elapsedMs()
  let knownOffsetMs = offsetMs()

  /** Plans the next regular run. A last run in the future, after the clock was set back, is now. */
  function plan(entry: Plan, settings: ScheduleSettings, lastRunAt: Date | null): void {
    const { customSchedule } = settings
    const nowMs = clock.now().getTime()
    const ageMs = Math.max(0, nowMs - (lastRunAt?.getTime() ?? nowMs))
    entry.retryMs = Infinity
    const from = new Date(entry.service.own === undefined ? nowMs : nowMs - ageMs)
    entry.nextAt = customSchedule === null ? null : calendarRun(customSchedule, from)
    entry.sinceMs = clock.elapsedMs() - ageMs
    if (lastRunAt !== null) entry.firstMs = null
  }

  function isCalendarDue(entry: Plan, custom: CustomSchedule): boolean {
    if (entry.nextAt === null) return false
    const lateMs = clock.now().getTime() - entry.nextAt.getTime()
    if (lateMs < 0) return false
    const canStart = isOpen(custom, clock.now())
    if (entry.service.own !== undefined) return canStart
    if (lateMs <= lateMsMax && canStart) return true
    // Missed: the operator has chosen this time of day, so it is not run at another one.
    entry.nextAt = calendarRun(custom, clock.now())
    return false
  }

  return {
    plan,

    /** Plans what follows from the start of the process. */
    startup(entry: Plan, settings: ScheduleSettings, lastRunAt: Date | null): void {
      const { customSchedule, intervalHours, runOnStartup } = settings
      const { firstRunMinutes, isDueAtStart = false } = entry.service
      const isFirst = lastRunAt === null && firstRunMinutes !== undefined
      entry.firstMs = isFirst ? clock.elapsedMs() + firstRunMinutes * minuteMs : null
      const isPaused = customSchedule === null && intervalHours === 0
      // The first run ever has its own time.
      const isWanted = (runOnStartup && !isFirst) || isDueAtStart || intervalHours < 0
      entry.isStartupDue = !isPaused && isWanted
    },

    failed(entry: Plan): void {
      entry.retryMs = clock.elapsedMs() + retryMs * 2 ** entry.failures
    },

    /** Whether the time of day was set since the last question. */
    hasStepped(): boolean {
      const now = offsetMs()
      const hasStepped = Math.abs(now - knownOffsetMs) > clockStepMs
      knownOffsetMs = now
      return hasStepped
    },

    /** After the time of day was set: calendar runs that are to come are found anew. */
    restep(entry: Plan, { customSchedule }: ScheduleSettings): void {
      if (customSchedule === null || entry.nextAt === null || entry.nextAt <= clock.now()) return
      entry.nextAt = calendarRun(customSchedule, clock.now())
    },

    isDue(entry: Plan, settings: ScheduleSettings): boolean {
      const { customSchedule } = settings
      const nowMs = clock.elapsedMs()
      if (entry.isStartupDue) return true
      if (entry.retryMs <= nowMs)
        return customSchedule === null || isOpen(customSchedule, clock.now())
      return customSchedule === null
        ? dueMsOf(entry, settings) <= nowMs
        : isCalendarDue(entry, customSchedule)
    },

    nextRunAt(entry: Plan, settings: ScheduleSettings): Date | null {
      if (entry.isStartupDue) return clock.now()
      const dueMs =
        clock.now().getTime() -
        clock.elapsedMs() +
        Math.min(dueMsOf(entry, settings), entry.retryMs)
      const calendarMs = entry.nextAt?.getTime() ?? Infinity
      const soonestMs = Math.min(dueMs, calendarMs)
      return soonestMs <= dateMsMax ? new Date(Math.max(soonestMs, clock.now().getTime())) : null
    },
  }
}
