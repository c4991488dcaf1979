import type { Clock } from '../../core/lib/clock.ts'
import { isOpen, nextRun } from '../../core/schedules/custom.ts'
import type { ScheduledService } from './stored.ts'
import { platformFacts } from '../../platforms/platforms.ts'
import type { ServicePlan } from './model.ts'
import type { LastResult } from './named-model.ts'
import type { Schedule, ScheduleStore } from './store.ts'

const hourMs = 3_600_000
/** What was noted further ahead than this was noted by a clock that has been set back since. */
const aheadMsMax = hourMs

interface Parts {
  store: ScheduleStore
  clock: Clock
}

const isRecurring = ({ enabled, intervalHours, customSchedule }: ScheduledService): boolean =>
  enabled && (customSchedule !== null || intervalHours > 0)

/** When the schedules are due. */
export class Plan {
  readonly #parts: Parts
  /** Schedules that ran once after the start of the process, by id. */
  readonly #started = new Set<string>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * A schedule that recurs from now on, or at other times of day than before, is calculated from now:
   * its first run is an interval later, and times that have passed are not made up for.
   */
  anchor(isKnown: (schedule: Schedule) => boolean = () => true): void {
    const { store, clock } = this.#parts
    const now = clock.now()
    for (const schedule of store.list()) {
      const basisMs = schedule.basisAt?.getTime() ?? Infinity
      const hasBasis = basisMs <= now.getTime() + aheadMsMax && isKnown(schedule)
      if (isRecurring(schedule.options) && !hasBasis) store.note(schedule, { basisAt: now })
    }
  }

  #calendarRun(options: ScheduledService, from: Date): Date | null {
    try {
      return options.customSchedule === null ? null : nextRun(options.customSchedule, from)
    } catch {
      // A time zone that this system does not know any more.
      return null
    }
  }

  #isDue({ id, options, basisAt }: Schedule): boolean {
    const now = this.#parts.clock.now()
    if (!options.enabled) return false
    if (options.customSchedule !== null) {
      if (basisAt === null || !isOpen(options.customSchedule, now)) return false
      const next = this.#calendarRun(options, basisAt)
      return next !== null && next <= now
    }
    if (options.intervalHours === -1) return !this.#started.has(id)
    if (options.intervalHours === 0) return false
    const basisMs = basisAt?.getTime() ?? -Infinity
    return basisMs + options.intervalHours * hourMs <= now.getTime()
  }

  due(): Schedule[] {
    return this.#parts.store.list().filter((schedule) => this.#isDue(schedule))
  }

  enabled(): Schedule[] {
    return this.#parts.store.list().filter(({ options }) => options.enabled)
  }

  /** A run was attempted, successful or not. `result`: null when it did not get its turn. */
  noteAttempt(schedule: Schedule, result: Omit<LastResult, 'endedAtUtc'> | null): void {
    const now = this.#parts.clock.now()
    this.#started.add(schedule.id)
    this.#parts.store.note(schedule, {
      basisAt: now,
      ...(result !== null && { lastResult: { ...result, endedAtUtc: now.toISOString() } }),
      ...(result?.stage === 'completed' && { lastRunAt: now }),
    })
  }

  /** A deleted schedule is not kept in mind. */
  forget(id: string): void {
    this.#started.delete(id)
  }

  nextRunAt({ options, basisAt }: Schedule): Date | null {
    if (!options.enabled) return null
    const from = basisAt ?? this.#parts.clock.now()
    if (options.customSchedule !== null) return this.#calendarRun(options, from)
    if (options.intervalHours <= 0) return null
    return new Date(from.getTime() + options.intervalHours * hourMs)
  }

  /** The first schedule of each platform. */
  view(): ServicePlan[] {
    const first = this.#parts.store.list().filter(({ isFirst }) => isFirst)
    return first.map((schedule) => ({
      serviceId: platformFacts[schedule.platform].name,
      intervalHours: schedule.options.intervalHours,
      enabled: schedule.options.enabled,
      lastRunUtc: schedule.lastRunAt?.toISOString() ?? null,
      nextRunUtc: this.nextRunAt(schedule)?.toISOString() ?? null,
      customSchedule: schedule.options.customSchedule,
    }))
  }
}
